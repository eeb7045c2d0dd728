"""Explains in words what a composed query asks for."""

from collections.abc import Iterator, Sequence

from wardround.agents.parser.explanation import listed
from wardround.agents.parser.grammar.query import Condition, Goal, Query
from wardround.ehr.times import filter_text

_SHAPES = {
    "count": "Count of {of}",
    "distinct": "Count of different {of}",
    "share": "Percentage of {of}",
    "ratio": "Share of {of}",
    "list": "List of {of}",
    "names": "Names of {of}",
    "top": "The first {top} of {of} by {function}",
    "span": "Days between the first and the last of {of}",
    "aggregate": "{function} of {column} of {of}",
    "value": "{column} of {of}",
    "exists": "Whether there is such a record",
}
_PLURALS = {"patient": "patients", "admission": "hospital stays", "icu": "ICU stays"}
_STATES = {
    "death": "died",
    "alive": "alive",
    "current": "in the hospital now",
    "icu": "in an ICU",
    "admission": "admitted to the hospital",
}


def explain_query(query: Query) -> tuple[str, ...]:
    """Sentences on the goal and each condition of a query."""
    conditions = [_condition(condition) for condition in query.conditions]
    part = [f"Of them: {_condition(item)}" for item in query.part]
    return (_goal(query.goal), *conditions, *part)


def _goal(goal: Goal) -> str:
    of = _PLURALS.get(goal.of, f"{goal.costs_of} {goal.of} records".lstrip())
    function = goal.function.lower() or ("number" if goal.shape == "top" else "")
    column = goal.column or ("number" if goal.per else "")
    text = _SHAPES[goal.shape].format(of=of, top=goal.top, function=function, column=column)
    return f"{text[0].upper()}{text[1:]}{''.join(_details(goal))}."


def _details(goal: Goal) -> Iterator[str]:
    """What the answer is ordered, totalled and grouped by."""
    if goal.shape == "top":
        yield f", {goal.column or 'name'} with the {'least' if goal.order == 'ASC' else 'most'}"
    elif goal.order:
        yield f", the {'first' if goal.order == 'ASC' else 'last'} by time"
    if goal.per:
        yield f", in total for each {goal.per}"
    if goal.by:
        yield f", for each {goal.by}"


def _condition(one: Condition) -> str:
    text = " ".join(_parts(one))
    return f"{'Not: ' if one.is_negated else ''}{text[0].upper()}{text[1:]}."


def _parts(one: Condition) -> Iterator[str]:
    named = [listed(texts) for _, texts in (*one.values, *one.also) if texts and texts[0][0] != "<"]
    yield _STATES.get(one.kind, one.kind) if not named else f"{_column(one)}: {' and '.join(named)}"
    yield from (f"{bound.operator} {bound.number:g}" for bound in one.bounds)
    if one.count:
        yield f"{one.count.operator} {one.count.number:g} times"
    if one.is_in_icu:
        yield "in an ICU"
    for period in one.periods:
        yield f"{'not ' if period.is_negated else ''}{filter_text(period.filter)}"


def _column(one: Condition) -> str:
    """The name of the column, or of the kind where the column is the record's own name."""
    columns: Sequence[str] = [role.column for role, _ in one.values]
    return one.kind if columns[0] in ("name", "title") else columns[0]
