import shutil
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.conftest import COHORT
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.cohort_comparison import (
    CohortComparer,
    same_result,
)
from wardround.benchmarks.clinsql.gold.hospitals import cohort_hospitals, make_irregular
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import build

GOLD = (
    "SELECT COUNT(*) AS n FROM mimiciv_hosp.patients p WHERE p.gender = 'F' AND p.anchor_age >= 40"
)


@pytest.fixture(scope="module")
def irregular(irregular_hospitals: tuple[Path, ...]) -> Iterator[list[Executions]]:
    opened = [open_database(f"googlesql:{path}") for path in irregular_hospitals]
    yield [Executions(database, 30.0) for database in opened]
    for database in opened:
        database.close()


@pytest.fixture(scope="module")
def comparer(records: Database, irregular: list[Executions]) -> CohortComparer:
    return CohortComparer(Executions(records, 30.0), lambda: irregular)


def test_an_equal_cohort_of_another_form_passes(comparer: CohortComparer) -> None:
    sql = """WITH c AS (
        SELECT subject_id FROM mimiciv_hosp.patients WHERE gender IN ('F') AND anchor_age > 39
    )
    SELECT COUNT(DISTINCT subject_id) AS women FROM c"""
    found = comparer.compared(sql, GOLD)
    assert found.finding.state == "passed"
    assert found.overlap is not None
    assert found.overlap.f1 == 1


def test_an_unequal_cohort_is_measured_and_decides_nothing(comparer: CohortComparer) -> None:
    found = comparer.compared("SELECT COUNT(*) FROM mimiciv_hosp.patients WHERE gender = 'F'", GOLD)
    assert found.finding.state == "undecided"
    assert found.overlap is not None
    assert found.overlap.recall == 1
    assert found.overlap.precision < 1


@pytest.mark.parametrize("where", ["anchor_age > 500", "anchor_age >= 0"])
def test_nobody_and_everyone_prove_nothing(comparer: CohortComparer, where: str) -> None:
    sql = f"SELECT COUNT(*) FROM mimiciv_hosp.patients WHERE {where}"
    assert comparer.compared(sql, sql).finding.state == "undecided"


def test_a_cohort_that_is_equal_here_only_decides_nothing(
    comparer: CohortComparer, records: Database
) -> None:
    ids = records.execute(
        "SELECT subject_id FROM mimiciv_hosp.patients WHERE gender = 'F' AND anchor_age >= 40",
        rows=None,
    ).rows
    listed = ", ".join(str(row[0]) for row in ids)
    sql = (
        "SELECT COUNT(*) FROM mimiciv_hosp.patients"
        f" WHERE subject_id IN ({listed}) AND anchor_age >= 60"
    )
    assert comparer.compared(sql, GOLD).finding.state == "undecided"


def test_hospitals_are_built_once(
    irregular_hospitals: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "build_hospital", None)
    folder = irregular_hospitals[0].parent
    assert cohort_hospitals(folder, patients=COHORT) == irregular_hospitals
    assert all(path.exists() for path in irregular_hospitals)


# Rows that MIMIC-IV does not have, counted.
NEVER = {
    "two diagnoses in one place": "SELECT COUNT(*) - COUNT(DISTINCT CONCAT(CAST(hadm_id AS STRING),"
    " '-', CAST(seq_num AS STRING))) FROM mimiciv_hosp.diagnoses_icd",
    "two procedures in one place": "SELECT COUNT(*) - COUNT(DISTINCT CONCAT(CAST(hadm_id AS STRING)"
    ", '-', CAST(seq_num AS STRING))) FROM mimiciv_hosp.procedures_icd",
    "a diagnosis of another's stay": "SELECT COUNT(*) FROM mimiciv_hosp.diagnoses_icd d JOIN"
    " mimiciv_hosp.admissions a ON a.hadm_id = d.hadm_id WHERE a.subject_id <> d.subject_id",
    "a death that is none": "SELECT COUNT(*) FROM mimiciv_hosp.admissions WHERE"
    " (hospital_expire_flag = 1) <> (deathtime IS NOT NULL)"
    " OR (hospital_expire_flag = 1) <> (IFNULL(discharge_location, '') = 'DIED')",
    "a death before a stay": "SELECT COUNT(*) FROM mimiciv_hosp.patients p JOIN"
    " mimiciv_hosp.admissions a ON a.subject_id = p.subject_id WHERE p.dod < DATE(a.dischtime)",
    "a value beside its text": "SELECT COUNT(*) FROM mimiciv_hosp.labevents"
    " WHERE valuenum <> SAFE_CAST(value AS FLOAT64)",
}
# Rows by which wrong queries differ from right ones, and of which the generator makes few or none.
SOMETIMES = {
    "an age later": "SELECT COUNT(*) FROM mimiciv_hosp.patients p JOIN mimiciv_hosp.admissions a"
    " ON a.subject_id = p.subject_id WHERE EXTRACT(YEAR FROM a.admittime) > p.anchor_year + 1",
    "a measurement before": "SELECT COUNT(*) FROM mimiciv_hosp.labevents l JOIN"
    " mimiciv_hosp.admissions a ON a.hadm_id = l.hadm_id WHERE l.charttime < a.admittime",
    "a value that cannot be": "SELECT COUNT(*) FROM mimiciv_icu.chartevents WHERE valuenum = 99999",
    "no value": "SELECT COUNT(*) FROM mimiciv_hosp.labevents WHERE valuenum IS NULL",
    "a death at home": "SELECT COUNT(*) FROM mimiciv_hosp.patients p WHERE p.dod IS NOT NULL AND"
    " p.subject_id NOT IN (SELECT subject_id FROM mimiciv_hosp.admissions WHERE deathtime IS NOT"
    " NULL)",
    "an ICU stay without an end": "SELECT COUNT(*) FROM mimiciv_icu.icustays WHERE outtime IS NULL",
}


@pytest.mark.parametrize(("queries", "occur"), [(NEVER, False), (SOMETIMES, True)])
def test_irregular_records_are_such_as_occur(
    irregular: list[Executions], queries: dict[str, str], occur: bool
) -> None:
    counts = {
        name: sum(int(str(hospital.of(sql).rows[0][0])) for hospital in irregular)
        for name, sql in queries.items()
    }
    assert {name for name, count in counts.items() if bool(count) != occur} == set()


def test_the_same_records_are_made_again(hospital: Path, tmp_path: Path) -> None:
    sql = "SELECT * FROM mimiciv_hosp.labevents ORDER BY labevent_id"
    folder = files("wardround.benchmarks.clinsql.gold")
    changes = (folder / "irregular_records.sql").read_text(encoding="utf-8")
    found = []
    for name in ("first", "again"):
        path = Path(shutil.copy(hospital, tmp_path / f"{name}.duckdb"))
        make_irregular(path, changes)
        with closing(open_database(f"googlesql:{path}")) as database:
            found.append(database.execute(sql, rows=None).rows)
    assert found[0]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("mine", "gold", "same"),
    [
        ([(1, "a"), (2, "b")], [("a", 1), ("b", 2)], True),
        ([(2, "b"), (1, "a")], [("a", 1), ("b", 2)], True),
        ([(100.9, "a")], [("a", 100)], True),
        ([(102, "a")], [("a", 100)], False),
        ([(1,)], [("a", 1)], False),
        ([], [], False),
    ],
)
def test_a_result_is_the_golds_by_columns(
    mine: list[tuple[object, ...]], gold: list[tuple[object, ...]], same: bool
) -> None:
    def execution(rows: list[tuple[object, ...]]) -> Execution:
        columns = tuple("abc"[: len(rows[0])]) if rows else ()
        return Execution(columns, rows)  # type: ignore[arg-type]

    assert same_result(execution(mine), execution(gold)) == same
