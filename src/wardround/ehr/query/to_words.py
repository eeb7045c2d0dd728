"""A question in words: each part of the query is said, and nothing else."""

from collections.abc import Iterator

from wardround.ehr.query.condition_words import condition_words
from wardround.ehr.query.model import Goal, Query

_SHAPES = {
    "count": "Count of {of}",
    "distinct": "Count of different {of}",
    "share": "Percentage of {of}",
    "ratio": "Share of {of}",
    "list": "List of {of}",
    "names": "Names of {of}",
    "top": "{column} of the first {top} by {function} of {of}",
    "span": "Days between the first and the last of {of}",
    "elapsed": "Days from {of} until now",
    "difference": "Difference of the last and the first {column} of {of}",
    "aggregate": "{function} of {column} of {of}",
    "value": "{column} of {of}",
    "exists": "Whether there is such a record",
}
_PLURALS = {
    "patient": "patients",
    "admission": "hospital stays",
    "icu": "ICU stays",
    "transfer": "ward stays",
}
_COLUMNS = {"length": "length in days", "hours": "length in hours"}


def to_words(query: Query) -> tuple[str, ...]:
    """Sentences on the goal and each condition of a query."""
    conditions = [condition_words(condition, query) for condition in query.conditions]
    part = [f"Of them: {condition_words(condition, query)}" for condition in query.part]
    return (goal_words(query.goal), *conditions, *part)


def goal_words(goal: Goal) -> str:
    """The sentence on a goal."""
    of = _PLURALS.get(goal.of, f"{goal.costs_of} {goal.of} records".lstrip())
    function = goal.function.lower() or ("number" if goal.shape == "top" else "")
    column = _COLUMNS.get(goal.column, goal.column) or ("number" if goal.per else "name")
    text = _SHAPES[goal.shape].format(of=of, top=goal.top, function=function, column=column)
    return f"{text[0].upper()}{text[1:]}{''.join(_details(goal))}."


def _details(goal: Goal) -> Iterator[str]:
    """The order, totals and groups of the answer."""
    if goal.shape == "top" and goal.order == "ASC":
        yield ", the smallest first"
    elif goal.shape == "value" and goal.function:
        yield f", the {'first' if goal.function == 'MIN' else 'last'}"
    elif goal.order and not goal.top:
        yield f", in order of {goal.ordered_by}"
    elif goal.order and goal.shape != "top":
        number = f" {goal.top}" if goal.top > 1 else ""
        yield f", the {'first' if goal.order == 'ASC' else 'last'}{number} by {goal.ordered_by}"
    if goal.per:
        yield f", in total for each {goal.per}"
    if goal.by:
        yield f", for each {goal.by}"
    if goal.base not in ("", goal.of):
        yield f" of {_PLURALS.get(goal.base, f'{goal.base} records')}"
