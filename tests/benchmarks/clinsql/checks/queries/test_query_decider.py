from pathlib import Path
from typing import cast

import orjson
import pytest

from tests.cases import for_each, one_in
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import Vocabulary, vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Join,
    Measure,
    Rounding,
    SqlCheck,
    read_check,
)
from wardround.ehr.database import Database

CASES = [
    line.split("\t") for line in (Path(__file__).parent / "sql_leaves.tsv").read_text().splitlines()
]


@pytest.fixture(scope="module")
def words(records: Database) -> Vocabulary:
    return vocabulary(Executions(records, 30.0))


@for_each(one_in(4, CASES))
def test_a_check_is_decided_by_meaning(
    state: str, check: str, sql: str, *, words: Vocabulary
) -> None:
    leaf = cast("SqlCheck | AllOf", read_check(orjson.loads(check), "case"))
    finding = decide_query(leaf, sql, None, words)
    assert finding.state == state, finding.reason


_CODED = """WITH c AS (SELECT DISTINCT a.subject_id, a.hadm_id FROM admissions a
  JOIN diagnoses_icd d ON d.hadm_id = a.hadm_id WHERE d.icd_code LIKE 'I50%')
SELECT COUNT(*) AS n FROM c """
_JOIN = Join(tables=("admissions", "diagnoses_icd"), keys=("hadm_id",))


@pytest.mark.parametrize(
    ("counted", "state"),
    [
        ("JOIN diagnoses_icd e ON e.hadm_id = c.hadm_id", "passed"),
        ("JOIN diagnoses_icd e ON e.subject_id = c.subject_id", "failed"),
        ("JOIN diagnoses_icd e USING (hadm_id)", "passed"),
        ("JOIN diagnoses_icd e USING (subject_id, hadm_id)", "passed"),
        ("JOIN diagnoses_icd e USING (hadm_id) JOIN admissions n USING (subject_id)", "passed"),
    ],
)
def test_a_table_that_the_gold_joins_twice_is_joined_twice_by_the_key(
    counted: str, state: str
) -> None:
    gold = f"{_CODED} JOIN diagnoses_icd e ON e.hadm_id = c.hadm_id"
    finding = decide_query(_JOIN, _CODED + counted, gold, vocabulary(None))
    assert finding.state == state, finding.reason


_RATE = "SELECT ROUND({}, 2) AS death_percent FROM admissions a"
_DIED = "COUNTIF(a.hospital_expire_flag = 1)"


@for_each(
    [
        (f"100 * {_DIED} / COUNT(*)", "passed"),
        (f"{_DIED} / COUNT(*) * 100", "passed"),
        (f"100.0 * SAFE_DIVIDE({_DIED}, COUNT(*))", "passed"),
        (f"SAFE_DIVIDE({_DIED} * 100, COUNT(*))", "passed"),
        (f"{_DIED} / COUNT(*)", "failed"),
        (f"10 * {_DIED} / COUNT(*)", "undecided"),
        ("AVG(a.hospital_expire_flag)", "undecided"),
    ]
)
def test_a_percentage_is_told_from_a_fraction(rate: str, state: str) -> None:
    gold = _RATE.format(f"100 * {_DIED} / COUNT(*)")
    check = Measure(name="rate", unit="percent")
    finding = decide_query(check, _RATE.format(rate), gold, vocabulary(None))
    assert finding.state == state, finding.reason


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ("ROUND(AVG(los), 2) AS mean, ROUND(MAX(los), 2) AS longest", "passed"),
        ("ROUND(MAX(los), 2) AS longest, ROUND(AVG(los), 2) AS mean, COUNT(*) AS n", "passed"),
        ("ROUND(AVG(los), 2) AS mean, MAX(los) AS longest", "failed"),
        ("AVG(los) AS mean, MAX(los) AS longest", "failed"),
        (
            "ROUND(AVG(los), 2) AS mean, CAST(FORMAT('%.2f', MAX(los)) AS FLOAT64) AS longest",
            "undecided",
        ),
    ],
)
def test_each_column_that_the_gold_rounds_is_rounded(columns: str, state: str) -> None:
    gold = "SELECT ROUND(AVG(los), 2) AS mean, ROUND(MAX(los), 2) AS longest FROM icustays"
    sql = f"SELECT {columns} FROM icustays"
    finding = decide_query(Rounding(digits=2), sql, gold, vocabulary(None))
    assert finding.state == state, finding.reason
