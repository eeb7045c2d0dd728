"""Compares a query with the gold by what both give on several hospitals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.cohorts import (
    CohortOverlap,
    NoCohortError,
    cohort_lineage,
    cohort_queries,
    overlap,
)
from wardround.benchmarks.clinsql.layouts import cohort_keys, members_query
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.benchmarks.kit.checks import Finding
from wardround.ehr.database import Cell

_KEPT = 512
# A result is the gold's if each value lies within this share of it.
_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class CohortComparison:
    """A query beside its gold.

    Attributes:
        finding: passed if the cohorts are equal on all hospitals; otherwise undecided.
        overlap: how far the cohort is the gold's on the run's database; None if underivable.
    """

    finding: Finding
    overlap: CohortOverlap | None = None


class CohortComparer:
    """Compares cohorts on the run's database and on others; the gold's are computed once.

    Args:
        records: the run's database.
        others: opens the other hospitals; called once, if a cohort is equal on the first.
    """

    def __init__(self, records: Executions, others: Callable[[], Sequence[Executions]]) -> None:
        self._records = records
        self._open = others
        self._golds = BoundedCache[str, dict[str, str]](_KEPT)
        self._known = BoundedCache[tuple[str, str], CohortComparison](_KEPT)

    def compared(self, sql: str, gold: str) -> CohortComparison:
        """Compares the cohorts of a query and of its gold."""
        return self._known.computed((sql, gold), lambda: self._compared(sql, gold), _lasts)

    def _compared(self, sql: str, gold: str) -> CohortComparison:
        try:
            mine = cohort_lineage(sql)
            golds = self._golds.computed(gold, lambda: cohort_queries(gold), bool)
        except NoCohortError as error:
            return CohortComparison(Finding("undecided", str(error)))
        key = next((key for key in cohort_keys() if key in mine.owners and key in golds), None)
        if key is None:
            return CohortComparison(Finding("undecided", "the cohorts have no key in common"))
        queries = mine.query(key), golds[key]
        selected, wanted = (_ids(self._records, query) for query in queries)
        if selected is None or wanted is None:
            return CohortComparison(Finding("undecided", "the cohort cannot be computed"))
        shared = overlap(selected, wanted)
        return CohortComparison(self._finding(key, queries, selected, wanted), shared)

    def _finding(
        self,
        key: str,
        queries: tuple[str, str],
        selected: frozenset[Cell],
        wanted: frozenset[Cell],
    ) -> Finding:
        if selected != wanted:
            return Finding("undecided", f"the cohort differs from the gold's by {key}")
        if not wanted or len(wanted) >= _everyone(self._records, key):
            return Finding("undecided", "the gold's cohort is empty or everyone here")
        for hospital in self._others:
            here, golds = (_ids(hospital, query) for query in queries)
            if here is None or here != golds:
                return Finding("undecided", f"the cohort differs by {key} on another hospital")
        count = 1 + len(self._others)
        return Finding("passed", f"the cohort equals the gold's by {key} on {count} hospitals")

    @cached_property
    def _others(self) -> Sequence[Executions]:
        return self._open()


def _lasts(comparison: CohortComparison) -> bool:
    """False for a comparison that may have met a limit."""
    return comparison.overlap is not None


def same_result(mine: Execution, gold: Execution) -> bool:
    """True if a result has each column of the gold's under some name, values within 1 percent.

    >>> same_result(Execution(("n",), [(10.05,)]), Execution(("total", ), [(10,)]))
    True
    """
    if not gold.rows or len(mine.rows) != len(gold.rows):
        return False
    for order in (list, _sorted):
        left, right = _columns(mine, order), _columns(gold, order)
        if _matched(left, right):
            return True
    return False


def _columns(result: Execution, order: Callable[[list[Cell]], list[Cell]]) -> list[list[Cell]]:
    return [order([row[index] for row in result.rows]) for index in range(len(result.columns))]


def _sorted(values: list[Cell]) -> list[Cell]:
    return sorted(values, key=_rank)


def _rank(value: Cell) -> tuple[bool, bool, float, str]:
    number = float(value) if isinstance(value, int | float) else 0.0
    return value is None, isinstance(value, str), number, str(value)


def _matched(mine: list[list[Cell]], gold: list[list[Cell]]) -> bool:
    free = list(mine)
    for column in gold:
        match = next((c for c in free if all(map(_near, c, column))), None)
        if match is None:
            return False
        free.remove(match)
    return True


def _near(value: Cell, gold: Cell) -> bool:
    if isinstance(value, int | float) and isinstance(gold, int | float):
        return abs(value - gold) <= _TOLERANCE * abs(gold)
    return value == gold


def _ids(hospital: Executions, query: str) -> frozenset[Cell] | None:
    result = hospital.of(query)
    return frozenset(row[0] for row in result.rows) if result.succeeded else None


def _everyone(hospital: Executions, key: str) -> int:
    result = hospital.of(members_query(key))
    return int(str(result.rows[0][0])) if result.rows else 0
