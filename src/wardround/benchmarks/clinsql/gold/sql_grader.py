"""Decides leaves on the submitted query, measures its cohort, and refuses other answers."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.leaf_verdicts import (
    COMPARED,
    EX,
    PRECISION,
    QUERY,
    RECALL,
    RESULT,
)
from wardround.benchmarks.clinsql.checks.queries.decider import decide_sql
from wardround.benchmarks.clinsql.checks.queries.facts import QueryFacts, query_facts
from wardround.benchmarks.clinsql.checks.queries.scopes import UnreadableQueryError
from wardround.benchmarks.clinsql.checks.queries.selections import (
    SelectionCheck,
    selects_others_only,
)
from wardround.benchmarks.clinsql.checks.queries.vocabulary import Vocabulary
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.cohort_comparison import (
    CohortComparer,
    same_result,
)
from wardround.benchmarks.clinsql.gold.cohorts import CohortOverlap
from wardround.benchmarks.clinsql.gold.hospitals import (
    cohort_hospitals,
    compared_results,
    makes_no_difference,
)
from wardround.benchmarks.clinsql.gold.result_comparison import asked_form
from wardround.benchmarks.clinsql.items.checks import (
    Codes,
    Cohort,
    ColumnExists,
    Distinct,
    Drugs,
    ExcludesNull,
    LeafCheck,
    ResultsCheck,
    single_checks,
)
from wardround.benchmarks.clinsql.items.item import ClinTask, leaf_item
from wardround.benchmarks.clinsql.layouts import PUBLISHED, layout_of
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.benchmarks.kit.checks import Finding
from wardround.core.verdict import Verdict, program_source, verdict_key
from wardround.ehr.database import Database, open_database
from wardround.scoring.rubrics.tree import RubricNode

COHORT = program_source("cohort")
RESULT_VERSION = 2
_SECTION = "cohort"
_KEPT = 512
ANSWER = program_source("answer")
_LEAST_OVERLAP = 0.5


class SqlGrader:
    """Decides checks of queries and compares cohorts.

    Args:
        records: the run's database.
        hospitals: whether cohorts and results are compared on two synthetic hospitals besides, if
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
            finding = Finding("undecided", "its result leaves it open")
            return self._by_agreement(finding, task, sql)
        if isinstance(check, Cohort):
            if outcome.kind == "timeout":
                return Finding("undecided", "the query was stopped, and its cohort's is as slow")
            return self._comparer.compared(sql, task.hidden.sql).finding
        finding = decide_sql(check, sql, task, self._records)
        if finding.state == "passed":
            return finding
        if isinstance(check, Distinct | ExcludesNull) and makes_no_difference(
            check, sql, self._hospitals_without(task.hidden.anchor)
        ):
            return Finding("passed", f"{finding.reason}, which makes no difference")
        return self._by_agreement(finding, task, sql)

    def _by_agreement(self, finding: Finding, task: ClinTask, sql: str) -> Finding:
        """An undecided leaf of a made task passes with the gold's result on every hospital."""
        if finding.state == "undecided" and task.hidden.is_made and self._agrees(task, sql):
            return Finding("passed", f"{finding.reason}, with the gold's result on every hospital")
        return finding

    def result_verdict(self, task: ClinTask, sql: str) -> Verdict:
        """Passed if the result of a query is its gold's on the run's database and the others."""
        finding = self._result(task, sql)
        key = verdict_key(COMPARED, RESULT_VERSION, self._hospitals, task.id, sql, task.hidden.sql)
        return Verdict(RESULT, COMPARED, finding.state, reason=finding.reason, key=key)

    def verdicts(self, task: ClinTask, sql: str, outcome: Execution) -> Iterator[Verdict]:
        """The cohort leaves that have no check, and the measures of the cohort and the result."""
        comparison = self._comparer.compared(sql, task.hidden.sql)
        if comparison.finding.state == "passed":
            for item in cohort_items(task):
                yield self._verdict(item, task, sql, comparison.finding.reason)
        if comparison.overlap is not None:
            yield self._verdict(PRECISION, task, sql, points=comparison.overlap.precision)
            yield self._verdict(RECALL, task, sql, points=comparison.overlap.recall)
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


def _lasts(finding: Finding) -> bool:
    """False for a comparison that may have met a limit."""
    return finding.state != "undecided"


def cohort_items(task: ClinTask) -> Iterator[str]:
    """The leaves of the cohort section without a check."""
    checks = task_checks(task)
    for section in task.hidden.sql_rubric.children:
        if _SECTION in f"{section.id} {section.requirement}".lower():
            yield from (item for item in _items(section) if item not in checks)


def _items(section: RubricNode) -> list[str]:
    return [leaf_item("sql", leaf.id) for leaf in section.leaves()]


def answer_verdicts(
    task: ClinTask, sql: str, decided: Iterable[Verdict], words: Vocabulary
) -> Iterator[Verdict]:
    """A failed verdict on a query that answers another question, or none.

    Such a query reads no table, gives none of the columns asked for, is about other conditions,
    procedures or drugs, or measures other people: its cohort and the gold's share less than half
    (F1).
    """
    known = list(decided)
    reason = _no_answer(task, sql, {verdict.item: verdict.state for verdict in known}, words)
    reason = reason or _other_people(known)
    if reason:
        key = verdict_key(ANSWER, task.id, sql)
        yield Verdict(QUERY, ANSWER, "failed", reason=reason, key=key)


def _no_answer(task: ClinTask, sql: str, states: dict[str, str], words: Vocabulary) -> str:
    try:
        facts = query_facts(sql)
    except UnreadableQueryError:
        return ""
    if not facts.tables:
        return "the query reads no table"
    columns = [item for item, check in task_checks(task).items() if _is_column(check)]
    if columns and all(states.get(item) == "failed" for item in columns):
        return "the result has none of the columns that are asked for"
    return _other_subject(task, facts, words)


def _other_subject(task: ClinTask, facts: QueryFacts, words: Vocabulary) -> str:
    """The reason if none of the codes of a table that are asked for is selected, or no drug."""
    subjects: dict[str, list[SelectionCheck]] = {}
    for check in task_checks(task).values():
        if isinstance(check, Codes | Drugs):
            table = check.table if isinstance(check, Codes) else "prescriptions"
            subjects.setdefault(table, []).append(check)
    for table, checks in subjects.items():
        if selects_others_only(checks, facts, words) and not _is_gold_so(task, checks, words):
            return f"the query selects nothing of {table} that is asked for, but something else"
    return ""


def _is_gold_so(task: ClinTask, checks: Sequence[SelectionCheck], words: Vocabulary) -> bool:
    """True if the gold selects something else too, or cannot be read."""
    try:
        return selects_others_only(checks, query_facts(task.hidden.sql), words)
    except UnreadableQueryError:
        return True


def _other_people(decided: Iterable[Verdict]) -> str:
    points = {verdict.item: verdict.points for verdict in decided}
    if PRECISION not in points or RECALL not in points:
        return ""
    overlap = CohortOverlap(points[PRECISION], points[RECALL])
    return "the query measures other people" if overlap.f1 < _LEAST_OVERLAP else ""


def _is_column(check: LeafCheck) -> bool:
    return any(isinstance(part, ColumnExists) for part in single_checks(check))
