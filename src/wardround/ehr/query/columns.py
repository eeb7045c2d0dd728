"""The names of the columns of a query's answer."""

from wardround.ehr.query.model import Query

_PLURALS = {"patient": "patients", "admission": "hospital stays", "icu": "ICU stays"}
_SHAPES = {"share": "percentage", "ratio": "share", "span": "days", "exists": "is there any"}


def answer_columns(query: Query) -> tuple[str, ...]:
    """The names of the columns, in the order of the SQL.

    >>> from wardround.ehr.query import Goal
    >>> answer_columns(Query(Goal("count", "drug", by="route"), ()))
    ('route', 'drug records')
    """
    goal = query.goal
    counted = _PLURALS.get(goal.of, f"{goal.of} records")
    if goal.shape in ("count", "distinct"):
        last = counted
    elif goal.shape == "list":
        last = "patient"
    elif goal.shape in ("names", "top"):
        last = goal.column if goal.column not in ("", "name") else goal.of
    elif goal.shape in ("aggregate", "value"):
        function = goal.function.lower() if goal.shape == "aggregate" else ""
        last = f"{function} {goal.column or 'number'}".strip()
    else:
        last = _SHAPES.get(goal.shape, goal.shape)
    return (goal.by, last) if goal.by else (last,)
