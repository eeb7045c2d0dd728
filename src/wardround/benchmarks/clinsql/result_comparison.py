"""Compares a query's result with the gold's, as a whole: columns, rows and values."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts, as_number, is_empty
from wardround.benchmarks.clinsql.checks.column_matcher import find_column
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.results import MOST_COLUMNS
from wardround.benchmarks.clinsql.checks.results_checks import Column
from wardround.benchmarks.clinsql.checks.sql_checks import Rounding
from wardround.benchmarks.clinsql.execution import Execution
from wardround.benchmarks.clinsql.leaf_verdicts import COMPARED, RESULT
from wardround.benchmarks.clinsql.tasks import ClinTask
from wardround.core.verdict import Verdict, verdict_key

VERSION = 1
# Differences of a value by the order of its summation only.
_EXACT = 1e-9
# Assignments of columns without a telling name that are tried.
_MOST_ASSIGNMENTS = 1000

# A cell as it is compared: nothing, a number or text.
_Value: TypeAlias = "float | str | None"
_Row: TypeAlias = tuple[_Value, ...]
# The place of a result's column for each of the gold's.
_Places: TypeAlias = Mapping[int, int]


def result_verdict(task: ClinTask, sql: str, outcome: Execution, gold: Execution) -> Verdict:
    """Passed if the result of a query is its gold's on the same database."""
    if gold.rows:
        finding = compared_outcome(outcome, gold, asked_digits(task))
    else:
        finding = Finding("undecided", "the gold gives no row here")
    key = verdict_key(COMPARED, VERSION, task.id, sql, task.hidden.sql)
    return Verdict(RESULT, COMPARED, finding.state, reason=finding.reason, key=key)


def compared_outcome(mine: Execution, gold: Execution, digits: int | None) -> Finding:
    """Compares what two queries gave; passed if neither gives a row."""
    if not (mine.succeeded and gold.succeeded):
        return Finding("undecided", "one of the queries gives no result")
    wanted = ResultFacts(gold.columns, gold.rows)
    return compared_result(ResultFacts(mine.columns, mine.rows), wanted, digits)


def asked_digits(task: ClinTask) -> int | None:
    """The decimals to which a task asks to round; None if it does not."""
    digits = [c.digits for c in task_checks(task).values() if isinstance(c, Rounding)]
    return min(digits, default=None)


def compared_result(mine: ResultFacts, gold: ResultFacts, digits: int | None = None) -> Finding:
    """Passed if a result has the gold's rows, in any order, with the gold's values.

    A column belongs to the gold's of its name or meaning; columns whose names tell nothing are
    assigned by their values. Further columns may stand beside if names tell all of the gold's.

    Args:
        mine: The result.
        gold: The gold's result.
        digits: The decimals asked for: values may differ by half a unit of the last one.

    >>> gold = ResultFacts(("n", "days"), [(3, 2.5)])
    >>> compared_result(ResultFacts(("n", "days"), [(3, 3)]), gold, 2)
    Finding(state='failed', reason='the result differs from the gold in days')
    """
    if len(mine.columns) > MOST_COLUMNS:
        return Finding("failed", f"the result has {len(mine.columns)} columns")
    if len(mine.columns) < len(gold.columns):
        return Finding("failed", "the result has fewer columns than the gold")
    if len(mine.rows) != len(gold.rows):
        return Finding("failed", f"the result has {len(mine.rows)} rows, the gold {len(gold.rows)}")
    tolerance = _EXACT if digits is None else 0.5 * 10**-digits + _EXACT
    comparison = _Comparison(mine, gold, tolerance)
    named = comparison.named_places()
    wrong = [gold.columns[at] for at, place in named.items() if not comparison.agree(at, place)]
    if wrong:
        return Finding("failed", f"the result differs from the gold in {', '.join(wrong)}")
    if len(mine.columns) > len(gold.columns) > len(named):
        return Finding("failed", "the result has columns that are not asked for")
    return comparison.finding(named)


class _Comparison:
    def __init__(self, mine: ResultFacts, gold: ResultFacts, tolerance: float) -> None:
        self._mine, self._gold = mine, gold
        self._tolerance = tolerance
        self._cells = [_values(mine, at) for at in range(len(mine.columns))]
        self._wanted = [_values(gold, at) for at in range(len(gold.columns))]
        self._sorted_cells = [sorted(values, key=_rank) for values in self._cells]
        self._sorted_wanted = [sorted(values, key=_rank) for values in self._wanted]

    def named_places(self) -> dict[int, int]:
        """The places of the gold's columns that names or meanings tell."""
        found: dict[int, int] = {}
        for at, name in enumerate(self._gold.columns):
            column = Column(names=(name,), meaning=name, position=at)
            match = find_column(column, self._mine, self._gold)
            if match and match.how != "place" and match.at not in found.values():
                found[at] = match.at
        return found

    def agree(self, at: int, place: int) -> bool:
        """True if a column has the values of one of the gold's, whatever their rows."""
        pairs = zip(self._sorted_cells[place], self._sorted_wanted[at], strict=True)
        return all(self._is_near(*pair) for pair in pairs)

    def finding(self, named: _Places) -> Finding:
        """Passed if an assignment of the other columns makes the rows the gold's."""
        tried = 0
        for places in islice(self._assignments(dict(named)), _MOST_ASSIGNMENTS):
            if self._same_rows(places):
                return Finding("passed", "the result is the gold's")
            tried += 1
        if tried == _MOST_ASSIGNMENTS:
            return Finding("undecided", "the columns can be assigned in too many ways")
        reason = "values stand in other rows" if tried else "columns have other values"
        return Finding("failed", f"the result differs from the gold: {reason}")

    def _assignments(self, places: dict[int, int]) -> Iterator[_Places]:
        """Every assignment of places to the gold's columns whose values agree."""
        at = next((at for at in range(len(self._wanted)) if at not in places), None)
        if at is None:
            yield places
            return
        for place in range(len(self._cells)):
            if place not in places.values() and self.agree(at, place):
                yield from self._assignments({**places, at: place})

    def _same_rows(self, places: _Places) -> bool:
        mine = zip(*(self._cells[places[at]] for at in range(len(self._wanted))), strict=True)
        wanted = zip(*self._wanted, strict=True)
        return all(
            all(map(self._is_near, row, other))
            for row, other in zip(self._ordered(mine), self._ordered(wanted), strict=True)
        )

    def _ordered(self, rows: Iterator[_Row]) -> list[_Row]:
        """Rows in an order that differences within the tolerance do not change."""
        step = max(2 * self._tolerance, _EXACT)

        def key(row: _Row) -> list[tuple[int, float, str]]:
            return [_rank(v if not isinstance(v, float) else round(v / step)) for v in row]

        return sorted(rows, key=key)

    def _is_near(self, value: _Value, gold: _Value) -> bool:
        if isinstance(value, float) and isinstance(gold, float):
            return abs(value - gold) <= self._tolerance + _EXACT * abs(gold)
        return value == gold


def _values(result: ResultFacts, at: int) -> list[_Value]:
    return [_value(row[at]) for row in result.rows]


def _value(cell: Any) -> _Value:
    """A cell as in a CSV file, where a number is the same in any type."""
    if is_empty(cell):
        return None
    number = as_number(cell)
    return number if number is not None else str(cell).strip()


def _rank(value: "float | str | None") -> tuple[int, float, str]:
    if value is None:
        return 0, 0.0, ""
    return (2, 0.0, value) if isinstance(value, str) else (1, float(value), "")
