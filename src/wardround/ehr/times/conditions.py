"""SQL of time filters: conditions on one or two rows, and selection of a single row."""

from typing import NamedTuple, Protocol

from wardround.ehr.database import Dialect
from wardround.ehr.times import sqlite, standard
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import (
    Ago,
    Calendar,
    Comparison,
    Following,
    Moment,
    Part,
    Period,
    Rank,
    SameMoment,
    SamePeriod,
    SameVisit,
    Unit,
    Visit,
    coarser,
)

NOW = "current_time"


class _Spelling(Protocol):
    """SQL fragments of a condition in one dialect family."""

    def time(self, value: str, /) -> str: ...
    def start(self, value: str, unit: Unit, /) -> str: ...
    def start_before(self, value: str, unit: Unit, back: int, /) -> str: ...
    def shifted(self, value: str, count: int, unit: Unit, /) -> str: ...
    def literal(self, filter: TimeFilter, /) -> str: ...
    def calendar(self, v: str, unit: Unit, c: Comparison, filter: TimeFilter, /) -> str: ...
    def parts(self, value: str, filter: TimeFilter, /) -> str: ...


_SPELLINGS: dict[Dialect, _Spelling] = {
    "sqlite": sqlite,
    "duckdb": standard,
    "postgres": standard,
}


class RowChoice(NamedTuple):
    """The clauses that reduce a SELECT to one row.

    Attributes:
        where: A condition to add to WHERE, or "".
        order: ORDER BY and LIMIT, or "".
    """

    where: str
    order: str


def condition(
    filter: TimeFilter, column: str, dialect: Dialect, known_to: Unit | None = None
) -> str:
    """The filter as a condition on a time column (DATE or TIMESTAMP; text in SQLite).

    The current time remains the word `current_time` (see `substitute_current_time`). If a shift
    gives a day that does not exist, dialects follow SQLite: 31 March minus a month is 3 March.

    >>> from wardround.ehr.times import time_filter
    >>> condition(time_filter("rel-month-since", month=3), "labevents.charttime", "sqlite")
    "datetime(labevents.charttime) >= datetime(current_time,'-3 month')"

    Args:
        filter: A filter of one time.
        column: The column.
        dialect: The SQL to write.
        known_to: The unit to which the times are known, if not to the second; a time is then
            accepted if any moment of its unit is.

    Raises:
        TypeError: If the filter is not a condition on one time.
    """
    spelling = _SPELLINGS[dialect]

    def compared(comparison: Comparison, then: str) -> str:
        if known_to:
            return _compared(column, known_to, comparison, then, spelling)
        return f"{spelling.time(column)} {comparison} {then}"

    match filter.template.meaning:
        case Period(unit, comparison, back):
            return _period(column, Period(unit, comparison, back), spelling, known_to)
        case Ago(unit, comparison):
            return compared(comparison, spelling.shifted(NOW, -filter.values[unit], unit))
        case Calendar(unit, comparison) if coarser(unit, known_to) == unit:
            return spelling.calendar(column, unit, comparison, filter)
        case Calendar(_, comparison):
            return compared(comparison, spelling.literal(filter))
        case Part(unit, of, back):
            period = _period(column, Period(of, "=", back), spelling, known_to)
            is_known = coarser(unit, known_to) == unit
            return f"{period} AND {spelling.parts(column, filter)}" if is_known else period
        case Moment():
            return compared("=", spelling.literal(filter))
    raise TypeError(f"the time template {filter.template.id} is not a condition on one time")


def pair_condition(filter: TimeFilter, first: str, second: str, dialect: Dialect) -> str:
    """A `within` filter as a condition on two columns: times, or visit identifiers.

    Raises:
        TypeError: If the filter is not about two rows.
    """
    spelling = _SPELLINGS[dialect]
    match filter.template.meaning:
        case SameVisit():
            return f"{first} = {second}"
        case SameMoment():
            return f"{spelling.time(first)} = {spelling.time(second)}"
        case SamePeriod(unit):
            return f"{spelling.start(first, unit)} = {spelling.start(second, unit)}"
        case Following(unit):
            end = spelling.shifted(first, filter.values[unit], unit)
            return f"{spelling.time(second)} BETWEEN {spelling.time(first)} AND {end}"
    raise TypeError(f"the time template {filter.template.id} is not about two rows")


def visit_choice(filter: TimeFilter, start: str, end: str, dialect: Dialect) -> RowChoice:
    """The clauses that select the filter's visit among the stays of one patient.

    Args:
        filter: A filter of a hospital or ICU visit.
        start: The column of the admission time.
        end: The column of the discharge time, NULL for a current stay.
        dialect: The SQL dialect.

    Raises:
        TypeError: If the filter is not about a visit.
    """
    match filter.template.meaning:
        case Visit(_, "current"):
            return RowChoice(f"{end} IS NULL", "")
        case Visit(_, which):
            return RowChoice(f"{end} IS NOT NULL", _ordered(start, which == "last", 0, dialect))
    raise TypeError(f"the time template {filter.template.id} is not about a visit")


def row_choice(filter: TimeFilter, column: str, dialect: Dialect) -> RowChoice:
    """The clauses that select the row of an `exact` filter by a time column.

    Raises:
        TypeError: If the filter is not an `exact` one.
    """
    match filter.template.meaning:
        case Rank(descending, offset):
            return RowChoice("", _ordered(column, descending, offset, dialect))
        case Moment():
            return RowChoice(condition(filter, column, dialect), "")
    raise TypeError(f"the time template {filter.template.id} is not an exact time")


def _period(column: str, period: Period, spelling: _Spelling, known_to: Unit | None) -> str:
    then = spelling.start_before(NOW, period.unit, period.back)
    if coarser(period.unit, known_to) == period.unit:
        return f"{spelling.start(column, period.unit)} {period.comparison} {then}"
    return _compared(column, coarser(period.unit, known_to), period.comparison, then, spelling)


def _compared(
    column: str, unit: Unit, comparison: Comparison, then: str, spelling: _Spelling
) -> str:
    return f"{spelling.start(column, unit)} {comparison} {spelling.start(then, unit)}"


def _ordered(column: str, descending: bool, offset: int, dialect: Dialect) -> str:
    # SQLite sorts NULL first.
    nulls = "" if dialect == "sqlite" else " NULLS LAST" if descending else " NULLS FIRST"
    skipped = f" OFFSET {offset}" if offset else ""
    return f"ORDER BY {column} {'DESC' if descending else 'ASC'}{nulls} LIMIT 1{skipped}"
