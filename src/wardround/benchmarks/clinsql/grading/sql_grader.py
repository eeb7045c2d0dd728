"""Decides leaves on the submitted query, measures its cohort, and refuses queries of nothing."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.model import Finding, LeafCheck
from wardround.benchmarks.clinsql.checks.results_checks import ResultsCheck
from wardround.benchmarks.clinsql.checks.sql_checks import Cohort, Distinct, ExcludesNull
from wardround.benchmarks.clinsql.checks.sql_decider import decide_sql
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold_comparison.cohort_comparison import (
    CohortComparer,
    same_result,
)
from wardround.benchmarks.clinsql.gold_comparison.cohort_hospitals import cohort_hospitals
from wardround.benchmarks.clinsql.gold_comparison.query_variants import makes_no_difference
from wardround.benchmarks.clinsql.gold_comparison.result_comparison import asked_form
from wardround.benchmarks.clinsql.gold_comparison.result_on_hospitals import compared_results
from wardround.benchmarks.clinsql.grading.leaf_verdicts import (
    COMPARED,
    EX,
    PRECISION,
    RECALL,
    RESULT,
)
from wardround.benchmarks.clinsql.layouts import PUBLISHED, layout_of
from wardround.benchmarks.clinsql.tasks import ClinTask, leaf_item
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.core.verdict import Verdict, program_source, verdict_key
from wardround.ehr.database import Database, open_database
from wardround.scoring.rubrics.tree import RubricNode

COHORT = program_source("cohort")
RESULT_VERSION = 2
_SECTION = "cohort"
_KEPT = 512


class SqlGrader:
    """Decides checks of queries and compares cohorts.

    Args:
        records: The run's database.
        hospitals: Whether cohorts and results are compared on two synthetic hospitals besides, if
            the database is in their layout.
    """

    def __init__(self, records: Executions, *, hospitals: bool) -> None:
        self._records = records
        self._hospitals = hospitals and layout_of(records.database) == PUBLISHED
        self._opened: list[Database] = []
        self._comparer = CohortComparer(records, lambda: self._others)
        self._results = BoundedCache[tuple[str, str], Finding](_KEPT)

    def decide(self, check: LeafCheck, task: ClinTask, sql: str, outcome: Execution) -> Finding:
        """Decides a check of a query, or of a result that its text leaves undecided."""
        if isinstance(check, ResultsCheck):
            found = Finding("undecided", "its result leaves it open")
            return self._by_agreement(found, task, sql)
        if isinstance(check, Cohort):
            if outcome.kind == "timeout":
                return Finding("undecided", "the query was stopped, and its cohort's is as slow")
            return self._comparer.compared(sql, task.hidden.sql).finding
        found = decide_sql(check, sql, task, self._records)
        if found.state == "passed":
            return found
        if isinstance(check, Distinct | ExcludesNull) and makes_no_difference(
            check, sql, self._hospitals_without(task.hidden.anchor)
        ):
            return Finding("passed", f"{found.reason}, which makes no difference")
        return self._by_agreement(found, task, sql)

    def _by_agreement(self, found: Finding, task: ClinTask, sql: str) -> Finding:
        """An undecided leaf of a made task passes with the gold's result on every hospital."""
        if found.state == "undecided" and task.hidden.is_made and self._agrees(task, sql):
            return Finding("passed", f"{found.reason}, with the gold's result on every hospital")
        return found

    def result_verdict(self, task: ClinTask, sql: str) -> Verdict:
        """Passed if the result of a query is its gold's on the run's database and the others."""
        finding = self._result(task, sql)
        key = verdict_key(COMPARED, RESULT_VERSION, self._hospitals, task.id, sql, task.hidden.sql)
        return Verdict(RESULT, COMPARED, finding.state, reason=finding.reason, key=key)

    def verdicts(self, task: ClinTask, sql: str, outcome: Execution) -> Iterator[Verdict]:
        """The cohort leaves that have no check, and the measures of the cohort and the result."""
        found = self._comparer.compared(sql, task.hidden.sql)
        if found.finding.state == "passed":
            for item in cohort_items(task):
                yield self._verdict(item, task, sql, found.finding.reason)
        if found.overlap is not None:
            yield self._verdict(PRECISION, task, sql, points=found.overlap.precision)
            yield self._verdict(RECALL, task, sql, points=found.overlap.recall)
        gold = self._records.hiding(task.hidden.anchor).of(task.hidden.sql)
        if gold.rows:
            yield self._verdict(EX, task, sql, points=float(same_result(outcome, gold)))

    def close(self) -> None:
        """Closes the hospitals."""
        for database in self._opened:
            database.close()

    def _hospitals_without(self, anchor: int | None) -> Iterator[Executions]:
        """The run's database without a patient, then the others, opened when they are reached."""
        yield self._records.hiding(anchor)
        yield from self._others

    def _agrees(self, task: ClinTask, sql: str) -> bool:
        """True if a query has the gold's result on the run's database and on the others."""
        return self._hospitals and self._result(task, sql).state == "passed"

    def _result(self, task: ClinTask, sql: str) -> Finding:
        gold, hospitals = task.hidden.sql, self._hospitals_without(task.hidden.anchor)
        return self._results.computed(
            (task.id, sql),
            lambda: compared_results(sql, gold, hospitals, asked_form(task)),
            _lasts,
        )

    @cached_property
    def _others(self) -> Sequence[Executions]:
        paths = cohort_hospitals() if self._hospitals else ()
        self._opened = [open_database(f"googlesql:{path}") for path in paths]
        return [Executions(database, self._records.seconds) for database in self._opened]

    @staticmethod
    def _verdict(
        item: str, task: ClinTask, sql: str, reason: str = "", points: float = 1.0
    ) -> Verdict:
        key = verdict_key(COHORT, task.id, sql)
        return Verdict(item, COHORT, "passed", points=points, reason=reason, key=key)


def _lasts(found: Finding) -> bool:
    """False for a comparison that may have met a limit."""
    return found.state != "undecided"


def cohort_items(task: ClinTask) -> Iterator[str]:
    """The leaves of the cohort section without a check."""
    checks = task_checks(task)
    for section in task.hidden.sql_rubric.children:
        if _SECTION in f"{section.id} {section.requirement}".lower():
            yield from (item for item in _items(section) if item not in checks)


def _items(section: RubricNode) -> list[str]:
    return [leaf_item("sql", leaf.id) for leaf in section.leaves()]
