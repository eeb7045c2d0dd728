"""Parser of time filters from query conditions in any dialect; the inverse of `condition`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple

from sqlglot import exp

from wardround.ehr.times.comparison_operands import Instant, Parts, instant, parts
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
)
from wardround.ehr.times.stays import all_stays
from wardround.ehr.times.templates import template_of

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
    stay = next((stay.stay for stay in all_stays() if stay.key == left.name == right.name), None)
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
