from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.benchmarks.clinsql.cohort_comparison import CohortComparer, same_result
from wardround.benchmarks.clinsql.cohort_hospitals import cohort_hospitals
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.ehr.database import Database, open_database

GOLD = (
    "SELECT COUNT(*) AS n FROM mimiciv_hosp.patients p WHERE p.gender = 'F' AND p.anchor_age >= 40"
)


@pytest.fixture(scope="module")
def comparer(
    records: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CohortComparer]:
    paths = cohort_hospitals(tmp_path_factory.mktemp("cohorts"), patients=10)
    opened = [open_database(f"googlesql:{path}") for path in paths]
    others = [Executions(database, 30.0) for database in opened]
    yield CohortComparer(Executions(records, 30.0), lambda: others)
    for database in opened:
        database.close()


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


def test_hospitals_are_built_once(tmp_path: Path) -> None:
    built = [path.stat().st_mtime_ns for path in cohort_hospitals(tmp_path, patients=1)]
    assert built == [path.stat().st_mtime_ns for path in cohort_hospitals(tmp_path, patients=1)]


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
