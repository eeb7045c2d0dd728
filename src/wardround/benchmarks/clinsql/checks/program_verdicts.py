"""Verdicts of programs: on the run of the query, and on the leaves that a check decides."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.columns import find_column
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.leaf_verdicts import CHECKS, QUERY, RAN, REBASED
from wardround.benchmarks.clinsql.checks.results import decide_beside_gold
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    InRange,
    LeafCheck,
    ResultsCheck,
    single_checks,
)
from wardround.benchmarks.clinsql.items.item import ClinTask, leaf_items
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.benchmarks.kit.checks import Finding, all_of
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.ehr.schema import load_schema

VERSION = "3.1"
_COUNTS = {
    "patients": "SELECT COUNT(*) AS n FROM `mimiciv_3_1_hosp.patients`",
    "admissions": "SELECT COUNT(*) AS n FROM `mimiciv_3_1_hosp.admissions`",
}
_REMOVED = 0.001  # the share of rows that removed anchor patients may have had
NO_CHECK = "no program decides it; name a judge with --role-model judge=PROVIDER:NAME"
NO_ROW = "the query gives no row"
CHECKS_VERSION = 1
_KEPT_TASKS = 512
# Decides a check of a query: the check, its task, the submitted query and its outcome.
SqlDecider: TypeAlias = Callable[[LeafCheck, ClinTask, str, Execution], Finding]


def is_published_database(executions: Executions) -> bool:
    """True if a database has as many patients and admissions as MIMIC-IV 3.1."""
    published = load_schema("mimic_iv").rows[VERSION]
    counts = {table: _count(executions, sql) for table, sql in _COUNTS.items()}
    return is_published_size(counts, published)


def is_published_size(counts: Mapping[str, int], published: Mapping[str, int]) -> bool:
    """True if all counts are those published, or hardly below.

    >>> is_published_size({"patients": 364_600}, {"patients": 364_627})
    True
    """
    return all(
        (1 - _REMOVED) * published[table] <= count <= published[table]
        for table, count in counts.items()
    )


def rebased(check: LeafCheck, gold: ResultFacts, percent: float) -> LeafCheck | None:
    """The check with bands of the gold's values, widened by `percent`; others as they are.

    None if the gold has no numbers in the column.

    >>> from wardround.benchmarks.clinsql.items.checks import Column
    >>> check = InRange(column=Column(names=("n",), position=0), low=1, high=5)
    >>> found = rebased(check, ResultFacts(("n",), [(200,), (300,)]), 1)
    >>> found.low, found.high
    (198.0, 303.0)
    """
    if isinstance(check, AllOf):
        parts = [rebased(part, gold, percent) for part in check.checks]
        known = tuple(part for part in parts if part is not None)
        return AllOf(checks=known) if len(known) == len(parts) else None
    if not isinstance(check, InRange):
        return check
    match = find_column(check.column, gold, gold)
    facts = gold.column(match.at) if match and gold.rows else None
    if facts is None or facts.low is None or facts.high is None:
        return None
    share = percent / 100
    low, high = facts.low - abs(facts.low) * share, facts.high + abs(facts.high) * share
    return InRange(column=check.column, low=low, high=high, band=check.band)


def has_band(check: LeafCheck) -> bool:
    """True if a check has a value band."""
    return any(isinstance(part, InRange) for part in single_checks(check))


def _count(executions: Executions, sql: str) -> int:
    counted = executions.of(sql)
    return int(counted.rows[0][0] or 0) if counted.rows else 0


def undecided_sql(check: LeafCheck, task: ClinTask, sql: str, outcome: Execution) -> Finding:
    """Leaves every check of a query open."""
    return Finding("undecided", "no program decides checks of queries")


@dataclass(frozen=True, slots=True)
class GradedTask:
    """A task's checks, and its gold's result: as published, or here on another database.

    Attributes:
        checks: the check of each leaf that has one, bands as they hold on this database.
        rebased: the items whose band is the gold's result here.
        gold: the gold's result.
    """

    checks: Mapping[str, LeafCheck]
    rebased: frozenset[str]
    gold: ResultFacts


class ProgramGrader:
    """Decides leaves by their checks.

    Args:
        executions: runs queries on the database.
        band: how far a value may lie from the gold's on another database than MIMIC-IV 3.1, in
            percent.
        decide_sql: decides checks of queries.
    """

    def __init__(
        self, executions: Executions, band: float, decide_sql: SqlDecider = undecided_sql
    ) -> None:
        self._executions = executions
        self._band = band
        self._decide_sql = decide_sql
        self._tasks = BoundedCache[str, GradedTask](_KEPT_TASKS)

    def verdicts(self, task: ClinTask, sql: str, outcome: Execution) -> Iterator[Verdict]:
        """Yields a verdict on each leaf whose check decides."""
        graded = self._tasks.computed(task.id, lambda: self._graded(task), bool)
        result = ResultFacts(outcome.columns, outcome.rows)
        for item in leaf_items(task.hidden):
            check = graded.checks.get(item)
            if check is None:
                continue
            finding = self._decide(check, task, sql, outcome, result, graded.gold)
            if finding.state != "undecided":
                yield _verdict(item, check, sql, finding, item in graded.rebased)

    def _decide(
        self,
        check: LeafCheck,
        task: ClinTask,
        sql: str,
        outcome: Execution,
        result: ResultFacts,
        gold: ResultFacts,
    ) -> Finding:
        if isinstance(check, AllOf):
            parts = [self._decide(c, task, sql, outcome, result, gold) for c in check.checks]
            return all_of(parts)
        if isinstance(check, ResultsCheck):
            finding = decide_beside_gold(check, result, gold)
            if finding.state != "undecided":
                return finding
        return self._decide_sql(check, task, sql, outcome)

    def _graded(self, task: ClinTask) -> GradedTask:
        """The checks of a task; bands that a task brings with its own checks stay."""
        checks = task_checks(task)
        banded = {i for i, c in checks.items() if has_band(c) and i not in task.hidden.checks}
        published = ResultFacts(task.hidden.result.columns, task.hidden.result.rows)
        if not banded or self._on_published:
            return GradedTask(checks, frozenset(), published)
        outcome = self._executions.hiding(task.hidden.anchor).of(task.hidden.sql)
        here = ResultFacts(outcome.columns, outcome.rows)
        moved = {item: rebased(checks[item], here, self._band) for item in banded}
        unbanded = {item: check for item, check in checks.items() if item not in banded}
        usable = {item: check for item, check in moved.items() if check is not None}
        gold = here if here.rows else published
        return GradedTask({**unbanded, **usable}, frozenset(usable), gold)

    @cached_property
    def _on_published(self) -> bool:
        return is_published_database(self._executions)


def _verdict(item: str, check: LeafCheck, sql: str, finding: Finding, moved: bool) -> Verdict:
    reason = "; ".join(filter(None, (REBASED if moved else "", finding.reason)))
    key = verdict_key(CHECKS, CHECKS_VERSION, item, check.stored(), sql)
    return Verdict(item, CHECKS, finding.state, reason=reason, key=key)


def ran_verdict(task: ClinTask, sql: str, outcome: Execution) -> Verdict:
    """Passed if the query gave rows; the reason names the kind of its error, not its text."""
    reason = "" if outcome.rows else NO_ROW
    if not outcome.succeeded:
        reason = f"the query fails ({outcome.kind})"
    key = verdict_key(RAN, task.id, sql)
    return Verdict(QUERY, RAN, state_of(bool(outcome.rows)), reason=reason, key=key)


def undecided_leaves(task: ClinTask, sql: str, decided: set[str]) -> Iterator[Verdict]:
    """An undecided verdict on each leaf that nobody decides."""
    for item in leaf_items(task.hidden):
        if item not in decided:
            key = verdict_key(CHECKS, item, sql)
            yield Verdict(item, CHECKS, "undecided", reason=NO_CHECK, key=key)
