"""A requirement counts as met where a query that says it in words gives the same result."""

import pytest

from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.gold.hospitals import makes_no_difference
from wardround.benchmarks.clinsql.items.checks import Distinct, ExcludesNull
from wardround.ehr.database import Database

HOSP = "`physionet-data.mimiciv_3_1_hosp"
ADMISSIONS = f"{HOSP}.admissions` AS a"
FIRST = (
    f"SELECT a.subject_id, a.dischtime FROM {ADMISSIONS}"
    " QUALIFY ROW_NUMBER() OVER (PARTITION BY a.subject_id ORDER BY a.admittime) = 1"
)
PERSON, DEATH = Distinct(column="subject_id"), ExcludesNull(column="deathtime")
UNTIL_DEATH = "DATETIME_DIFF(a.deathtime, a.admittime, HOUR)"


@pytest.mark.parametrize(
    ("check", "sql", "same"),
    [
        (PERSON, f"WITH f AS ({FIRST}) SELECT COUNT(f.subject_id) AS n FROM f", True),
        (PERSON, f"WITH f AS ({FIRST}) SELECT COUNT(*) AS n FROM f", True),
        (PERSON, f"SELECT COUNT(a.subject_id) AS n FROM {ADMISSIONS}", False),
        (PERSON, f"SELECT COUNT(*) AS n FROM {ADMISSIONS}", False),
        (PERSON, f"SELECT MAX(a.admittime) AS last FROM {ADMISSIONS}", False),
        (PERSON, "SELECT COUNT(subject_id FROM", False),
        (DEATH, f"SELECT AVG({UNTIL_DEATH}) AS hours FROM {ADMISSIONS}", True),
        (DEATH, f"SELECT COUNT(admissions.deathtime) AS n FROM {HOSP}.admissions`", True),
        (DEATH, f"SELECT AVG({UNTIL_DEATH}) AS hours, COUNT(*) AS n FROM {ADMISSIONS}", False),
        (DEATH, f"SELECT COUNT(*) AS n FROM {HOSP}.patients`", False),
    ],
)
def test_a_query_is_compared_with_its_variant(
    check: Distinct | ExcludesNull, sql: str, same: bool, records: Database
) -> None:
    assert makes_no_difference(check, sql, [Executions(records, 30.0)]) is same


def test_every_hospital_has_to_agree(records: Database) -> None:
    sql = f"SELECT COUNT(a.subject_id) AS n FROM {ADMISSIONS} WHERE a.hadm_id = 1"
    assert makes_no_difference(PERSON, sql, [Executions(records, 30.0)])
    here = Executions(records, 30.0)
    everyone = sql.partition(" WHERE")[0]
    assert not makes_no_difference(PERSON, everyone, [here, here])
