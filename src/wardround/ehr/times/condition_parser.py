"""Time filters read from the conditions of a query, in whatever dialect: `condition` backwards."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import NamedTuple

from sqlglot import exp

from wardround.ehr.times.comparison_operands import Instant, Parts, instant, parts
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
from wardround.ehr.times.moments import start_of
from wardround.ehr.times.stays import all_stays
from wardround.ehr.times.templates import template_of

_COMPARISONS: dict[type[exp.Expression], Comparison] = {exp.EQ: "=", exp.LTE: "<=", exp.GTE: ">="}
_CLOCK = ("year", "month", "day", "hour", "minute", "second")


class Recognised(NamedTuple):
    """A time filter of a query and the columns it is about.

    Attributes:
        columns: The time's column; for a `within` both, the earlier event's first; for a visit
            the beginning and the end of the stay.
    """

    filter: TimeFilter
    columns: tuple[exp.Column, ...]


def compared(node: exp.Expression) -> Recognised | None:
    """The filter that one comparison is; None where it is none."""
    match node:
        case exp.Between():
            return _following(node)
        case exp.EQ() | exp.LTE() | exp.GTE():
            return _dated(node) or _timed(node) or _same_visit(node)
    return None


def within_period(conjuncts: Sequence[exp.Expression]) -> tuple[Recognised, int] | None:
    """The filter that the first few conditions together are ("in 07/last year"), and how many.

    A year or month is one condition, the month or day in it one more, or two.
    """
    period = compared(conjuncts[0])
    if not period or not isinstance(period.filter.template.meaning, Period):
        return None
    asked = [_parts_of(conjunct, period.columns[0]) for conjunct in conjuncts[1:3]]
    named = list(takewhile(bool, asked))
    values = {name: value for part in named for name, value in part.items()}
    found = _in_period(period.filter.template.meaning, values)
    return (Recognised(found, period.columns), 1 + len(named)) if found else None


def _in_period(period: Period, named: Mapping[str, int]) -> TimeFilter | None:
    if period.comparison != "=":
        return None
    return _filter(Part("day" if "day" in named else "month", period.unit, period.back), named)


def _parts_of(node: exp.Expression, column: exp.Column) -> Mapping[str, int]:
    """The month and day that a condition asks of a column; empty where it asks for none."""
    named = parts(node.this) if isinstance(node, exp.EQ) else None
    if not named or named.column != column or "year" in named.names:
        return {}
    return _numbers(named, node.expression) or {}


def _numbers(named: Parts, literal: exp.Expression) -> Mapping[str, int] | None:
    texts = literal.name.split("-") if isinstance(literal, exp.Literal) else []
    if len(texts) != len(named.names) or not all(text.isdigit() for text in texts):
        return None
    # Text that is not written in full, as "2102-7", is equal to no date.
    if literal.is_string and any(len(text) < 2 for text in texts):
        return None
    return {name: int(text) for name, text in zip(named.names, texts, strict=True)}


def _dated(node: exp.Expression) -> Recognised | None:
    """A date written as text against another."""
    named = parts(node.this)
    if not named or named.names[0] != "year":
        return None
    values = _numbers(named, node.expression)
    if values is None:
        return None
    found = _filter(Calendar(named.names[-1], _COMPARISONS[type(node)]), values)
    return Recognised(found, (named.column,)) if found else None


def _timed(node: exp.Expression) -> Recognised | None:
    """A time against another."""
    left, right = instant(node.this), instant(node.expression)
    if not left or not right or not isinstance(left.base, exp.Column) or left.shift:
        return None
    if isinstance(right.base, exp.Column):
        return _same_time(node, left, right, left.base, right.base)
    found = _against(left, right, _COMPARISONS[type(node)])
    return Recognised(found, (left.base,)) if found else None


def _against(left: Instant, right: Instant, comparison: Comparison) -> TimeFilter | None:
    """A column's time against the current time or a constant."""
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
    named = _CLOCK[: _CLOCK.index(left.start) + 1]
    return _filter(Calendar(left.start, comparison), {name: getattr(time, name) for name in named})


def _same_time(
    node: exp.Expression, left: Instant, right: Instant, first: exp.Column, second: exp.Column
) -> Recognised | None:
    alike = left.cast and right.cast and left.start == right.start and not right.shift
    if not alike or not isinstance(node, exp.EQ):
        return None
    found = _filter(SamePeriod(left.start) if left.start else SameMoment(), {})
    return Recognised(found, (first, second)) if found else None


def _following(node: exp.Between) -> Recognised | None:
    second, first, end = (instant(node.args[name]) for name in ("this", "low", "high"))
    if not second or not first or not end or not end.shift or first.base != end.base:
        return None
    if not isinstance(first.base, exp.Column) or not isinstance(second.base, exp.Column):
        return None
    count, unit = end.shift
    found = _filter(Following(unit), {unit: count})
    return Recognised(found, (first.base, second.base)) if found else None


def _same_visit(node: exp.Expression) -> Recognised | None:
    """Two events' stays: the same key of two tables, which no join of tables asks for."""
    left, right = node.this, node.expression
    both = isinstance(left, exp.Column) and isinstance(right, exp.Column)
    joining = isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join)
    if not isinstance(node, exp.EQ) or not both or joining or left == right:
        return None
    stay = next((stay.stay for stay in all_stays() if stay.key == left.name == right.name), None)
    found = _filter(SameVisit(stay), {}) if stay else None
    return Recognised(found, (left, right)) if found else None


def _filter(meaning: Meaning, values: Mapping[str, int]) -> TimeFilter | None:
    template = template_of(meaning)
    if template is None:
        return None
    try:
        return TimeFilter(template, values)
    except ValueError:
        return None
