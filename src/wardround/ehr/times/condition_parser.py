"""Parser of time filters from query conditions in any dialect; the inverse of `condition`.

The operands of a comparison are read first.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Literal, NamedTuple, get_args

from sqlglot import exp

from wardround.ehr.times.filter_evaluation import start_of
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import (
    Ago,
    Calendar,
    Comparison,
    Following,
    Meaning,
    Moment,
    Part,
    Period,
    SameMoment,
    SamePeriod,
    SameVisit,
    Unit,
)
from wardround.ehr.times.stays import stays_naming
from wardround.ehr.times.templates import template_of

_UNITS: tuple[Unit, ...] = get_args(Unit)
_SHIFT = re.compile(r"([+-]\d+) (year|month|day)s?")
# The published v1.5 files are lower-cased throughout, including %Y.
_FORMATS: dict[str, tuple[Unit, ...]] = {
    "%Y": ("year",),
    "%y": ("year",),
    "%Y-%m": ("year", "month"),
    "%y-%m": ("year", "month"),
    "%Y-%m-%d": ("year", "month", "day"),
    "%y-%m-%d": ("year", "month", "day"),
    "%m": ("month",),
    "%m-%d": ("month", "day"),
    "%d": ("day",),
}


@dataclass(frozen=True)
class Instant:
    """A column, the current time or a constant, truncated to a unit and then shifted.

    Attributes:
        cast: True if cast to a time; a bare column may have any type.
        start: The unit that it is truncated to.
        shift: The number of units added afterwards.
    """

    base: exp.Column | datetime | Literal["now"]
    cast: bool = False
    start: Unit | None = None
    shift: tuple[int, Unit] | None = None


@dataclass(frozen=True)
class Parts:
    """Date parts (year, month, day) of a column, as text or number."""

    column: exp.Column
    names: tuple[Unit, ...]


def instant(node: exp.Expression) -> Instant | None:
    """The expression as an instant; None if time templates cannot express it."""
    match node:
        case exp.Column():
            return Instant(node)
        case exp.CurrentTime():
            return Instant("now")
        case exp.Literal(is_string=True):
            return _comparison_constant(node.this)
        case exp.Anonymous() if node.name.upper() == "DATETIME":
            return _modified(node.expressions)
        case exp.Cast() if node.to.this in exp.DataType.TEMPORAL_TYPES:
            inner = instant(node.this)
            return replace(inner, cast=True) if inner and not inner.start else None
        case exp.TimestampTrunc() | exp.DateTrunc():
            return _truncated(node)
        case exp.Add() | exp.Sub():
            return _month_overflow(node) or _with_interval(node)
    return None


def parts(node: exp.Expression) -> Parts | None:
    """The expression as parts of a column's date; None if it is something else."""
    match node:
        case exp.TimeToStr():
            column, names = node.this.this, _FORMATS.get(node.text("format"))
        case exp.Extract():
            column, names = node.expression, tuple(_unit(node.name))
        case _:
            return None
    return Parts(column, names) if isinstance(column, exp.Column) and names else None


def _unit(name: str) -> Iterator[Unit]:
    """The unit of that name, if it exists."""
    return (unit for unit in _UNITS if unit == name.lower())


def _comparison_constant(text: str) -> Instant | None:
    try:
        return Instant(datetime.strptime(text, "%Y-%m-%d %H:%M:%S"))
    except ValueError:
        return None


def _modified(arguments: list[exp.Expression]) -> Instant | None:
    """SQLite's `datetime(value, modifier, …)`."""
    result = instant(arguments[0]) if arguments else None
    for argument in arguments[1:]:
        result = result and _with_modifier(result, argument.name)
    return replace(result, cast=True) if result else None


def _with_modifier(value: Instant, modifier: str) -> Instant | None:
    if modifier.startswith("start of "):
        return _at_start_of(value, modifier.removeprefix("start of "))
    match = _SHIFT.fullmatch(modifier)
    return _shifted(value, int(match[1]), match[2]) if match else None


def _truncated(node: exp.TimestampTrunc | exp.DateTrunc) -> Instant | None:
    inner = instant(node.this)
    return _at_start_of(inner, node.text("unit")) if inner else None


def _with_interval(node: exp.Add | exp.Sub) -> Instant | None:
    inner, interval = instant(node.this), node.expression
    if not inner or not isinstance(interval, exp.Interval) or not interval.name.isdigit():
        return None
    sign = 1 if isinstance(node, exp.Add) else -1
    return _shifted(inner, sign * int(interval.name), interval.text("unit"))


def _at_start_of(value: Instant, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.start or value.shift or not unit else replace(value, start=unit)


def _shifted(value: Instant, count: int, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.shift or not unit else replace(value, shift=(count, unit))


def _month_overflow(node: exp.Add | exp.Sub) -> Instant | None:
    """A shifted month start plus the rest of the month: SQLite's month arithmetic."""
    rest = node.expression.unnest()
    if not isinstance(node, exp.Add) or not isinstance(rest, exp.Sub):
        return None
    moved, full, first = instant(node.this), instant(rest.this), instant(rest.expression)
    if not moved or not full or first != replace(full, start="month"):
        return None
    return replace(full, shift=moved.shift) if replace(moved, shift=None) == first else None


_COMPARISONS: dict[type[exp.Expression], Comparison] = {exp.EQ: "=", exp.LTE: "<=", exp.GTE: ">="}
_CLOCK = ("year", "month", "day", "hour", "minute", "second")


class RecognisedFilter(NamedTuple):
    """A time filter of a query with its columns.

    Attributes:
        columns: The time column; two for a `within` filter, earlier event first; start and end
            of the stay for a visit.
    """

    filter: TimeFilter
    columns: tuple[exp.Column, ...]


def comparison_filter(node: exp.Expression) -> RecognisedFilter | None:
    """The time filter that a comparison expresses, or None."""
    match node:
        case exp.Between():
            return _following(node)
        case exp.EQ() | exp.LTE() | exp.GTE():
            return _date_comparison(node) or _time_comparison(node) or _same_visit(node)
    return None


def within_period(conjuncts: Sequence[exp.Expression]) -> tuple[RecognisedFilter, int] | None:
    """The filter of the leading conditions ("in 07/last year") and the number of them.

    The year or month is one condition; the month or day within it takes one or two more.
    """
    period = comparison_filter(conjuncts[0])
    if not period or not isinstance(period.filter.template.meaning, Period):
        return None
    parts_by_conjunct = [_parts_of(conjunct, period.columns[0]) for conjunct in conjuncts[1:3]]
    matching_parts = list(takewhile(bool, parts_by_conjunct))
    values = {name: value for part in matching_parts for name, value in part.items()}
    filter = _in_period(period.filter.template.meaning, values)
    return (RecognisedFilter(filter, period.columns), 1 + len(matching_parts)) if filter else None


def _in_period(period: Period, date_parts: Mapping[str, int]) -> TimeFilter | None:
    if period.comparison != "=":
        return None
    return _filter(
        Part("day" if "day" in date_parts else "month", period.unit, period.back), date_parts
    )


def _parts_of(node: exp.Expression, column: exp.Column) -> Mapping[str, int]:
    """The month and day that a condition requires of a column; empty if none."""
    column_parts = parts(node.this) if isinstance(node, exp.EQ) else None
    if not column_parts or column_parts.column != column or "year" in column_parts.names:
        return {}
    return _numbers(column_parts, node.expression) or {}


def _numbers(column_parts: Parts, literal: exp.Expression) -> Mapping[str, int] | None:
    texts = literal.name.split("-") if isinstance(literal, exp.Literal) else []
    if len(texts) != len(column_parts.names) or not all(text.isdigit() for text in texts):
        return None
    # Abbreviated text such as "2102-7" equals no formatted date.
    if literal.is_string and any(len(text) < 2 for text in texts):
        return None
    return {name: int(text) for name, text in zip(column_parts.names, texts, strict=True)}


def _date_comparison(node: exp.Expression) -> RecognisedFilter | None:
    """A comparison of dates formatted as text."""
    column_parts = parts(node.this)
    if not column_parts or column_parts.names[0] != "year":
        return None
    values = _numbers(column_parts, node.expression)
    if values is None:
        return None
    filter = _filter(Calendar(column_parts.names[-1], _COMPARISONS[type(node)]), values)
    return RecognisedFilter(filter, (column_parts.column,)) if filter else None


def _time_comparison(node: exp.Expression) -> RecognisedFilter | None:
    """A comparison of two times."""
    left, right = instant(node.this), instant(node.expression)
    if not left or not right or not isinstance(left.base, exp.Column) or left.shift:
        return None
    if isinstance(right.base, exp.Column):
        return _same_time(node, left, right, left.base, right.base)
    filter = _relative_comparison(left, right, _COMPARISONS[type(node)])
    return RecognisedFilter(filter, (left.base,)) if filter else None


def _relative_comparison(
    left: Instant, right: Instant, comparison: Comparison
) -> TimeFilter | None:
    """A comparison of a column with the current time or a constant."""
    count, unit = right.shift or (0, left.start)
    if isinstance(right.base, datetime):
        return _constant(left, right.base, comparison) if right.shift is None else None
    if unit is None or (left.start, right.start) not in ((unit, unit), (None, None)):
        return None
    if left.start:
        return _filter(Period(unit, comparison, -count), {})
    return _filter(Ago(unit, comparison), {unit: -count})


def _constant(left: Instant, time: datetime, comparison: Comparison) -> TimeFilter | None:
    if not left.start:
        moment = {name: getattr(time, name) for name in _CLOCK}
        return _filter(Moment(), moment) if comparison == "=" else None
    if time != start_of(time, left.start):
        return None
    units = _CLOCK[: _CLOCK.index(left.start) + 1]
    return _filter(Calendar(left.start, comparison), {name: getattr(time, name) for name in units})


def _same_time(
    node: exp.Expression, left: Instant, right: Instant, first: exp.Column, second: exp.Column
) -> RecognisedFilter | None:
    same_unit = left.cast and right.cast and left.start == right.start and not right.shift
    if not same_unit or not isinstance(node, exp.EQ):
        return None
    filter = _filter(SamePeriod(left.start) if left.start else SameMoment(), {})
    return RecognisedFilter(filter, (first, second)) if filter else None


def _following(node: exp.Between) -> RecognisedFilter | None:
    second, first, end = (instant(node.args[name]) for name in ("this", "low", "high"))
    if not second or not first or not end or not end.shift or first.base != end.base:
        return None
    if not isinstance(first.base, exp.Column) or not isinstance(second.base, exp.Column):
        return None
    count, unit = end.shift
    filter = _filter(Following(unit), {unit: count})
    return RecognisedFilter(filter, (first.base, second.base)) if filter else None


def _same_visit(node: exp.Expression) -> RecognisedFilter | None:
    """Equal stay keys of two tables, outside a join condition."""
    left, right = node.this, node.expression
    both = isinstance(left, exp.Column) and isinstance(right, exp.Column)
    joining = isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join)
    if not isinstance(node, exp.EQ) or not both or joining or left == right:
        return None
    stays = stays_naming(left.name) if left.name == right.name else ()
    stay = next((stay.stay for stay in stays if stay.key == left.name), None)
    filter = _filter(SameVisit(stay), {}) if stay else None
    return RecognisedFilter(filter, (left, right)) if filter else None


def _filter(meaning: Meaning, values: Mapping[str, int]) -> TimeFilter | None:
    template = template_of(meaning)
    if template is None:
        return None
    try:
        return TimeFilter(template, values)
    except ValueError:
        return None
