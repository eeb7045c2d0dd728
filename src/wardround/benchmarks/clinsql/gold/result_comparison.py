"""Compares a query's result with the gold's, as a whole: columns, rows and values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts, as_number, is_empty
from wardround.benchmarks.clinsql.checks.columns import find_column
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.queries.scopes import UnreadableQueryError, parsed
from wardround.benchmarks.clinsql.checks.results import MOST_COLUMNS
from wardround.benchmarks.clinsql.gold.further_columns import Value, further_columns
from wardround.benchmarks.clinsql.items.checks import Column, Rounding
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.kit.checks import Finding
from wardround.ehr.text.segments import statements, texts

_ASKED = re.compile(
    r"\b(?:sort|order|arrange|rank)(?:ed|ing)?\b[^.?!;]*\b(?:by|from|in)\b"
    r"|\b(?:ascending|descending|increasing|decreasing|chronological|alphabetical)\b"
    r"|\b(?:highest|largest|greatest|most|lowest|smallest|least|latest|earliest|oldest|youngest)"
    r"(?: \w+)? first\b",
    re.IGNORECASE,
)
# Sorting before a cut into groups, and orders of drugs or tests, ask for no order of the rows.
_OTHERWISE = re.compile(
    r"\b(?:cut|split|divid\w+|quartiles?|quintiles?|deciles?|tertiles?|equal size)\b"
    r"|\b(?:was|were|been|is|are) ordered by\b|\bin order to\b",
    re.IGNORECASE,
)
# Differences of a value by the order of its summation only.
_EXACT = 1e-9
# Assignments of columns without a telling name that are tried.
_MOST_ASSIGNMENTS = 1000
_Row: TypeAlias = tuple[Value, ...]
# The place of a result's column for each of the gold's.
_Places: TypeAlias = Mapping[int, int]


def asks_for_order(question: str) -> bool:
    """True if a sentence of a question asks for its rows in an order.

    >>> asks_for_order("List the services with their stays, the largest number first.")
    True
    >>> asks_for_order("Sort the stays by age and cut them into four groups.")
    False
    """
    return any(
        _ASKED.search(sentence) and not _OTHERWISE.search(sentence)
        for sentence in texts(question, statements(question, "en"))
    )


def sorting_columns(gold: str) -> tuple[int, ...]:
    """The places of the columns by which a query sorts its result.

    They end where a key is not a column of the result.

    >>> sorting_columns("SELECT unit, COUNT(*) AS n FROM t GROUP BY unit ORDER BY n DESC, unit")
    (1, 0)
    """
    try:
        query = parsed(gold)
    except UnreadableQueryError:
        return ()
    order = query.args.get("order")
    return tuple(_places(query, order.expressions)) if order else ()


def _places(query: exp.Query, keys: list[exp.Ordered]) -> Iterator[int]:
    columns = query.selects
    for key in keys:
        index = next((at for at, each in enumerate(columns) if _is(key.this, each, at)), None)
        if index is None:
            return
        yield index


def _is(key: exp.Expr, column: exp.Expr, at: int) -> bool:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.name) == at + 1
    if isinstance(key, exp.Column) and key.name.lower() == column.alias_or_name.lower():
        return True
    return bool(key == column.unalias())


@dataclass(frozen=True, slots=True)
class AskedForm:
    """The form of a result that a question asks for.

    Attributes:
        digits: the decimals to which it asks to round; None if it asks for none.
        sorted_by: the places of the gold's columns by which the rows are sorted; empty for any
            order.
        units: by how many units of the last decimal values may differ.
    """

    digits: int | None = None
    sorted_by: tuple[int, ...] = ()
    units: float = 0.5

    @property
    def tolerance(self) -> float:
        """By how much values may differ."""
        return _EXACT + (0.0 if self.digits is None else self.units * 10**-self.digits)


def asked_form(task: ClinTask) -> AskedForm:
    """The form of the result that a task asks for."""
    digits = [c.digits for c in task_checks(task).values() if isinstance(c, Rounding)]
    is_sorted = asks_for_order(task.public.question)
    order = sorting_columns(task.hidden.sql) if is_sorted else ()
    return AskedForm(min(digits, default=None), order)


def compared_result(
    mine: ResultFacts, gold: ResultFacts, asked: AskedForm = AskedForm()
) -> Finding:
    """Passed if a result has the gold's rows with the gold's values.

    A column belongs to the gold's of its name or meaning; columns whose names tell nothing are
    assigned by their values. Further columns may stand beside if names tell all of the gold's and
    they follow from the gold's values; see `further_columns`. Rows may stand in any order unless
    one is asked for; those that it leaves tied may stand in any order too.

    Args:
        mine: the result.
        gold: the gold's result.
        asked: what the question asks of its form.

    >>> gold = ResultFacts(("n", "days"), [(3, 2.5)])
    >>> compared_result(ResultFacts(("n", "days"), [(3, 3)]), gold, AskedForm(digits=2))
    Finding(state='failed', reason='the result differs from the gold in days')
    """
    if len(mine.columns) > MOST_COLUMNS:
        return Finding("failed", f"the result has {len(mine.columns)} columns")
    if len(mine.columns) < len(gold.columns):
        return Finding("failed", "the result has fewer columns than the gold")
    if len(mine.rows) != len(gold.rows):
        return Finding("failed", f"the result has {len(mine.rows)} rows, the gold {len(gold.rows)}")
    comparison = _Comparison(mine, gold, asked.tolerance)
    named = comparison.named_places()
    wrong = [gold.columns[at] for at, column in named.items() if not comparison.agree(at, column)]
    if wrong:
        return Finding("failed", f"the result differs from the gold in {', '.join(wrong)}")
    if len(mine.columns) > len(gold.columns) > len(named):
        return Finding("failed", "the result has columns that are not asked for")
    return comparison.finding(named, asked.sorted_by)


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
        named: dict[int, int] = {}
        for at, name in enumerate(self._gold.columns):
            column = Column(names=(name,), meaning=name, position=at)
            match = find_column(column, self._mine, self._gold)
            if match and match.how != "place" and match.at not in named.values():
                named[at] = match.at
        return named

    def agree(self, at: int, column: int) -> bool:
        """True if a column has the values of a gold column, in any order of rows."""
        pairs = zip(self._sorted_cells[column], self._sorted_wanted[at], strict=True)
        return all(self._is_near(*pair) for pair in pairs)

    def finding(self, named: _Places, sorted_by: Sequence[int]) -> Finding:
        """Passed if an assignment of the other columns makes the rows the gold's."""
        tried = 0
        for places in islice(self._assignments(dict(named)), _MOST_ASSIGNMENTS):
            rows = self._same_rows(places)
            if rows is not None:
                return self._form(places, rows, sorted_by)
            tried += 1
        if tried == _MOST_ASSIGNMENTS:
            return Finding("undecided", "the columns can be assigned in too many ways")
        reason = "values stand in other rows" if tried else "columns have other values"
        return Finding("failed", f"the result differs from the gold: {reason}")

    def _form(
        self, places: _Places, rows: Sequence[tuple[int, int]], sorted_by: Sequence[int]
    ) -> Finding:
        """Passed if the rows, which are the gold's, have its order and nothing wrong beside."""
        for at in sorted_by:
            if not all(map(self._is_near, self._cells[places[at]], self._wanted[at])):
                return Finding("failed", f"rows are not sorted by {self._gold.columns[at]}")
        beside = [at for at in range(len(self._cells)) if at not in places.values()]
        mine = {self._mine.columns[at]: [self._cells[at][row] for row, _ in rows] for at in beside}
        gold = {
            name: [column[row] for _, row in rows]
            for name, column in zip(self._gold.columns, self._wanted, strict=True)
        }
        return further_columns(mine, gold) or Finding("passed", "the result is the gold's")

    def _assignments(self, places: dict[int, int]) -> Iterator[_Places]:
        """Every assignment of places to the gold's columns whose values agree."""
        at = next((at for at in range(len(self._wanted)) if at not in places), None)
        if at is None:
            yield places
            return
        for column in range(len(self._cells)):
            if column not in places.values() and self.agree(at, column):
                yield from self._assignments({**places, at: column})

    def _same_rows(self, places: _Places) -> list[tuple[int, int]] | None:
        """The numbers of equal rows, mine and the gold's; None if a row has no equal."""
        mine = list(zip(*(self._cells[places[at]] for at in range(len(self._wanted))), strict=True))
        wanted = list(zip(*self._wanted, strict=True))
        pairs = list(zip(self._ordered(mine), self._ordered(wanted), strict=True))
        are_near = (all(map(self._is_near, mine[row], wanted[other])) for row, other in pairs)
        return pairs if all(are_near) else None

    def _ordered(self, rows: Sequence[_Row]) -> list[int]:
        """The numbers of rows in an order that differences within the tolerance do not change."""
        step = max(2 * self._tolerance, _EXACT)

        def key(number: int) -> list[tuple[int, float, str]]:
            cells = rows[number]
            return [_rank(v if not isinstance(v, float) else round(v / step)) for v in cells]

        return sorted(range(len(rows)), key=key)

    def _is_near(self, value: Value, gold: Value) -> bool:
        if isinstance(value, float) and isinstance(gold, float):
            return abs(value - gold) <= self._tolerance + _EXACT * abs(gold)
        return value == gold


def _values(result: ResultFacts, at: int) -> list[Value]:
    return [_value(row[at]) for row in result.rows]


def _value(cell: Any) -> Value:
    """A cell as in a CSV file, where a number is the same in any type."""
    if is_empty(cell):
        return None
    number = as_number(cell)
    return number if number is not None else str(cell).strip()


def _rank(value: "float | str | None") -> tuple[int, float, str]:
    if value is None:
        return 0, 0.0, ""
    return (2, 0.0, value) if isinstance(value, str) else (1, float(value), "")
