"""Verdicts of programs on the leaves of an item, on another database than the published one."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import GOLD, item
from wardround.benchmarks.clinsql.checks.leaf_verdicts import EX, REBASED
from wardround.benchmarks.clinsql.checks.program_verdicts import ProgramGrader
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.sql_grader import SqlGrader
from wardround.benchmarks.clinsql.items.checks import Column, LeafCheck, NotNull, Sex
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.kit.checks import Finding
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database

COLUMN = "results:column"
PLAUSIBLE = "results:plausible"
FILE = "results:csv-file-exists"


class Grading:
    """A grader on the hospital, and one task."""

    def __init__(self, records: Database, task: ClinTask) -> None:
        self.executions = Executions(records, 10)
        self.task = task
        self.grader = ProgramGrader(self.executions, 1.0)

    def verdicts(self, sql: str) -> dict[str, Verdict]:
        found = self.grader.verdicts(self.task, sql, self.executions.of(sql))
        return {verdict.item: verdict for verdict in found}

    def states(self, sql: str) -> dict[str, str]:
        return {name: verdict.state for name, verdict in self.verdicts(sql).items()}


@pytest.fixture
def grading(records: Database, tmp_path: Path) -> Grading:
    return Grading(records, item(tmp_path))


def test_the_gold_passes_the_leaves_that_programs_decide(grading: Grading) -> None:
    assert grading.states(GOLD) == {FILE: "passed", COLUMN: "passed", PLAUSIBLE: "passed"}


def test_bands_are_those_of_the_golds_result_here(grading: Grading) -> None:
    verdict = grading.verdicts("SELECT 999 AS admissions, 4.5 AS mean_los_days")[PLAUSIBLE]
    assert verdict.state == "failed"  # within the published band of 1 to 1000
    assert verdict.reason.startswith(REBASED)


def test_a_check_that_the_task_brings_keeps_its_band(grading: Grading) -> None:
    check = {"kind": "in_range", "column": {"names": ["admissions"]}, "low": 990, "high": 1000}
    hidden = replace(grading.task.hidden, checks={PLAUSIBLE: check})
    grading.task = replace(grading.task, hidden=hidden)
    assert grading.states("SELECT 999 AS admissions, 4.5 AS mean_los_days")[PLAUSIBLE] == "passed"


@pytest.mark.parametrize("sql", ["SELEC", "SELECT 1 AS admissions WHERE FALSE"])
def test_a_query_without_a_result_fails_every_leaf(grading: Grading, sql: str) -> None:
    assert set(grading.states(sql).values()) == {"failed"}
    assert len(grading.states(sql)) == 3


def test_a_result_of_nulls_fails_the_leaves_about_values(grading: Grading) -> None:
    states = grading.states("SELECT NULL AS admissions, NULL AS mean_los_days")
    assert states == {FILE: "passed", COLUMN: "passed", PLAUSIBLE: "failed"}


def test_a_check_that_the_gold_fails_decides_nothing(grading: Grading) -> None:
    check = {"kind": "in_range", "column": {"names": ["admissions"]}, "low": 900, "high": 1000}
    hidden = replace(grading.task.hidden, checks={PLAUSIBLE: check})
    grading.task = replace(grading.task, hidden=hidden)
    assert PLAUSIBLE not in grading.states("SELECT 5 AS admissions, 4.5 AS mean_los_days")


def test_the_gold_runs_once_a_task(grading: Grading, monkeypatch: pytest.MonkeyPatch) -> None:
    first = grading.verdicts(GOLD)
    monkeypatch.setattr(grading.executions, "of", lambda sql: pytest.fail("it ran again"))
    outcome = Execution(("admissions",), [(5,)])
    list(grading.grader.verdicts(grading.task, "SELECT 5 AS admissions", outcome))
    assert first


def test_checks_of_queries_are_decided_where_there_is_a_decider(grading: Grading) -> None:
    def decider(check: LeafCheck, task: ClinTask, sql: str, outcome: Execution) -> Finding:
        return Finding("passed" if check == Sex(value="F") else "failed", "as it reads")

    grader = ProgramGrader(grading.executions, 1.0, decider)
    found = {v.item: v for v in grader.verdicts(grading.task, GOLD, grading.executions.of(GOLD))}
    assert (found["sql:sex"].state, found["sql:age"].state) == ("passed", "failed")
    assert found["sql:sex"].source == "program:checks"


def test_the_result_is_compared_with_the_golds_without_the_anchor(grading: Grading) -> None:
    everyone = "SELECT COUNT(*) AS n, MAX(p.anchor_age) AS age FROM mimiciv_hosp.patients AS p"
    anchor = grading.executions.of("SELECT MIN(subject_id) AS id FROM mimiciv_hosp.patients")
    hidden = replace(grading.task.hidden, sql=everyone, anchor=int(str(anchor.rows[0][0])))
    task = replace(grading.task, hidden=hidden)
    outcome = grading.executions.hiding(hidden.anchor).of(everyone)
    queries = SqlGrader(grading.executions, hospitals=False)
    points = {v.item: v.points for v in queries.verdicts(task, everyone, outcome)}
    assert points[EX] == 1


@pytest.mark.parametrize(("name", "state"), [("discharged_home_pct", "passed"), ("x", "undecided")])
def test_an_open_leaf_on_the_result_passes_with_the_golds_result_everywhere(
    grading: Grading, monkeypatch: pytest.MonkeyPatch, name: str, state: str
) -> None:
    monkeypatch.setattr("wardround.benchmarks.clinsql.gold.sql_grader.cohort_hospitals", tuple)
    gold = (
        "SELECT 100 * COUNTIF(gender = 'F') / COUNT(*) AS home_percent FROM mimiciv_hosp.patients"
    )
    mine = gold.replace("home_percent", name) if state == "passed" else gold + " LIMIT 0"
    check = NotNull(column=Column(names=("home_percent",), meaning="home_percent"))
    hidden = replace(grading.task.hidden, sql=gold, checks={COLUMN: check.stored()})
    queries = SqlGrader(grading.executions, hospitals=True)
    task = replace(grading.task, hidden=hidden)
    assert queries.decide(check, task, mine, Execution()).state == state
