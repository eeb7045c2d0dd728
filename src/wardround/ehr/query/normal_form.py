"""One form for queries that ask the same: sorted where order means nothing, one spelling each."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from wardround.ehr.query.model import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Scope,
    Span,
    Stored,
    TimeUnit,
    Values,
)
from wardround.ehr.records import Role
from wardround.ehr.times import TimeFilter
from wardround.ehr.times.filter_evaluation import first_moment, shifted
from wardround.ehr.times.model import Calendar

STAYS: dict[Scope, str] = {"admission": "admission", "stay": "icu"}  # the kind of each scope
PERSONAL = ("patient", "sex", "death", "alive")
_SMALLER: dict[TimeUnit, tuple[int, TimeUnit]] = {
    "day": (24, "hour"),
    "week": (7 * 24, "hour"),
    "year": (12, "month"),
}
_T = TypeVar("_T")


def normal_form(query: Query) -> Query:
    """The query in the form that all queries share that ask the same in other spellings.

    Its answer is the same. Two normal forms that differ may still have the same answer.
    """
    conditions, part = (
        _sorted(_condition(each, plain_scope(each, query)) for each in conditions)
        for conditions in (query.conditions, query.part)
    )
    return Query(_goal(query.goal), conditions, part)


def plain_scope(condition: Condition, query: Query) -> Scope:
    """The scope of a condition; that of the patient where it comes to the same."""
    scope = condition.scope
    if query.base != "patient" or condition.is_negated or condition.count:
        return scope
    if condition.kind in PERSONAL:
        return "patient"
    each = (*query.conditions, *query.part)
    is_alone = [other.scope for other in each].count(scope) == 1
    is_any = is_alone and condition.which == "any" and not condition.alternatives
    return "patient" if is_any and condition.kind == STAYS.get(scope) else scope


def choices(condition: Condition) -> tuple[Condition, ...]:
    """A condition and its alternatives, each by itself."""
    return (replace(condition, alternatives=()), *condition.alternatives)


def _goal(goal: Goal) -> Goal:
    base = "" if goal.base == goal.of else goal.base
    is_ranked = goal.shape == "top"
    is_ordered = bool(goal.order) and not goal.function and goal.shape != "elapsed"
    return replace(
        goal,
        base=base,
        top=goal.top if is_ranked or is_ordered else 1,
        ordered_by=goal.ordered_by if is_ordered and not is_ranked else "time",
        by_person=goal.by_person and (base or goal.of) != "patient",
    )


def _condition(condition: Condition, scope: Scope) -> Condition:
    """The choices of a condition in order; the first one represents all."""
    each = _merged(_choice(replace(c, scope=scope)) for c in choices(condition))
    first, *others = _sorted(each)
    return replace(first, alternatives=tuple(others))


def _choice(condition: Condition) -> Condition:
    return replace(
        condition,
        values=_any_of(condition.values),
        also=_values(condition.also),
        containing=_sorted((role, _sorted(texts)) for role, texts in condition.containing),
        bounds=_sorted(_bound(bound, condition.measured) for bound in condition.bounds),
        ages=_sorted(_bound(bound) for bound in condition.ages),
        count=_bound(condition.count) if condition.count else None,
        periods=_sorted(_period(period) for period in condition.periods),
        relation=_relation(condition.relation) if condition.relation else None,
    )


def _merged(conditions: Iterable[Condition]) -> list[Condition]:
    """Joins records that differ in one column's texts only: either text will do."""
    merged: dict[Condition, Condition] = {}
    for condition in conditions:
        key = _without_texts(condition)
        before = merged.get(key)
        if before:
            condition = replace(before, values=_any_of((*before.values, *condition.values)))
        merged[key] = condition
    return list(merged.values())


def _without_texts(condition: Condition) -> Condition:
    is_plain = not condition.is_negated and not condition.count and condition.which == "any"
    if not is_plain or len(condition.values) != 1:
        return condition
    ((role, texts),) = condition.values
    is_text = isinstance(texts, tuple) and bool(texts)
    return replace(condition, values=((role, ("",)),)) if is_text else condition


def _relation(relation: Relation) -> Relation:
    within = _span(relation.within) if relation.within else None
    return replace(relation, anchor=_condition(relation.anchor, "patient"), within=within)


def _any_of(values: Values) -> Values:
    """Values of which any will do: the texts of a column are one value."""
    texts: dict[Role, Stored] = {}
    for role, value in values:
        if isinstance(value, tuple):
            texts[role] = (*texts.get(role, ()), *value)
    others = ((role, value) for role, value in values if not isinstance(value, tuple))
    return _values((*texts.items(), *others))


def _values(values: Values) -> Values:
    return _sorted((role, _sorted(v) if isinstance(v, tuple) else v) for role, v in values)


def _bound(bound: Bound, measured: str = "") -> Bound:
    unit = bound.unit or ("day" if measured == "length" else "")
    return Bound(bound.operator.replace("!=", "<>"), float(bound.number), unit)


def _span(span: Span) -> Span:
    """A span in hours or months; months and years count whole only."""
    number = float(span.number) if span.unit not in ("month", "year") else float(round(span.number))
    count, unit = _SMALLER.get(span.unit, (1, span.unit))
    return Span(number * count, unit)


def _period(period: Period) -> Period:
    """Calendar dates and one-sided periods as the times between two moments."""
    between = _between(period.filter)
    if not between:
        return period
    if period.is_negated and between.since and not between.until:
        return Period(Between(until=between.since))
    if period.is_negated and between.until and not between.since:
        return Period(Between(since=between.until))
    return Period(between, period.is_negated)


def _between(filter: TimeFilter | Between) -> Between | None:
    """The times of a calendar date; None for times that depend on now or on another event.

    >>> from wardround.ehr.times import time_filter
    >>> _between(time_filter("abs-year-until", year=2100)).until
    datetime.datetime(2101, 1, 1, 0, 0)
    """
    if isinstance(filter, Between):
        return filter
    meaning = filter.template.meaning
    if not isinstance(meaning, Calendar):
        return None
    first = first_moment(filter)
    if first.year == datetime.max.year:
        return None
    return Between(
        since=None if meaning.comparison == "<=" else first,
        until=None if meaning.comparison == ">=" else shifted(first, 1, meaning.unit),
    )


def _sorted(parts: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(sorted(dict.fromkeys(parts), key=repr))
