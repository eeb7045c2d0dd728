"""A question in words, where each part is said and nothing else, and its answer's columns."""

from collections.abc import Iterator

from wardround.ehr.query.condition_words import condition_words, names_in_words
from wardround.ehr.query.model import Condition, Goal, Query

_SHAPES = {
    "count": "Count of {many}",
    "distinct": "Count of different {many}",
    "share": "Percentage of {many}",
    "ratio": "Share of {many}",
    "list": "List of {many}",
    "names": "List of {many}",
    "span": "Days between the first and the last {one}",
    "elapsed": "Days from {many} until now",
    "difference": "Difference of the last and the first {column} of {many}",
    "aggregate": "{function} {column} of {many}",
    "value": "{column} of {many}",
    "exists": "Whether there is such a record",
}
_NOUNS = {
    "patient": ("patient", "patients"),
    "admission": ("hospital stay", "hospital stays"),
    "icu": ("ICU stay", "ICU stays"),
    "transfer": ("ward stay", "ward stays"),
    "diagnosis": ("diagnosis", "diagnoses"),
    "procedure": ("procedure", "procedures"),
    "drug": ("prescription", "prescriptions"),
    "lab": ("lab test", "lab tests"),
    "allergy": ("allergy", "allergies"),
    "cost": ("cost", "costs"),
}
_FUNCTIONS = {
    "MIN": "minimum",
    "MAX": "maximum",
    "AVG": "average",
    "SUM": "total",
    "MEDIAN": "median",
}
_COLUMNS = {"length": "length in days", "hours": "length in hours"}
_MEASURES = ("aggregate", "value", "difference")
_PLURALS = {"patient": "patients", "admission": "hospital stays", "icu": "ICU stays"}
_COLUMN_NAMES = {"share": "percentage", "ratio": "share", "span": "days", "exists": "is there any"}


def to_words(query: Query) -> tuple[str, ...]:
    """Sentences on the goal and each condition of a query."""
    measured = _measured(query)
    conditions = [condition for condition in query.conditions if condition != measured]
    part = (condition_words(condition, query) for condition in query.part)
    return (
        goal_words(query.goal, measured),
        *(condition_words(condition, query) for condition in conditions),
        *(f"Of them: {text[0].lower()}{text[1:]}" for text in part),
    )


def goal_words(goal: Goal, measured: Condition | None = None) -> str:
    """The sentence on a goal, with the name of what is measured if that is a condition."""
    one, many = _nouns(goal.of)
    if goal.costs_of:
        one, many = (f"{goal.costs_of} {noun}" for noun in (one, many))
    if measured:
        many = names_in_words(measured)
    if goal.shape == "top":
        text = _ranked(goal, one, many)
    else:
        column = _COLUMNS.get(goal.column, goal.column) or ("number" if goal.per else "name")
        column = f"{_end(goal)} {column}" if _is_end(goal) else column
        function = _FUNCTIONS.get(goal.function, "")
        text = _SHAPES[goal.shape].format(one=one, many=many, function=function, column=column)
    return f"{text[0].upper()}{text[1:]}{''.join(_details(goal))}."


def _measured(query: Query) -> Condition | None:
    """The condition that only selects the records whose values are asked for."""
    if query.goal.shape not in _MEASURES or query.base != query.goal.of:
        return None
    for condition in query.conditions:
        plain = Condition(query.base, condition.values, scope="record")
        if condition == plain and names_in_words(condition):
            return condition
    return None


def _nouns(kind: str) -> tuple[str, str]:
    return _NOUNS.get(kind, (f"{kind} record", f"{kind} records"))


def _ranked(goal: Goal, one: str, many: str) -> str:
    """The names or numbers of the first ranks."""
    is_least, is_one = goal.order == "ASC", goal.top == 1
    least = "least" if is_least else "most"
    is_other = goal.base not in ("", goal.of)
    if not goal.function and goal.column in ("", "name") and not is_other:
        return f"{least} frequent {one}" if is_one else f"{goal.top} {least} frequent {many}"
    column = f"{goal.column or 'name'}{f' of {_nouns(goal.base)[1]}' if is_other else ''}"
    column = column if is_one else f"first {goal.top} by {column}"
    if goal.function:
        end = "lowest" if is_least else "highest"
        return f"{column} with the {end} {_FUNCTIONS[goal.function]} value of {many}"
    return f"{column} with the {'fewest' if is_least else 'most'} {many}"


def _is_end(goal: Goal) -> bool:
    """True for one value that is the first or last by time."""
    is_one = goal.shape == "value" and goal.top == 1 and goal.ordered_by == "time"
    return is_one and bool(goal.order or goal.function)


def _end(goal: Goal) -> str:
    return "first" if "MIN" in goal.function or goal.order == "ASC" else "last"


def _details(goal: Goal) -> Iterator[str]:
    """The order, totals and groups of the answer."""
    if goal.order and goal.shape != "top" and not _is_end(goal):
        number = f" {goal.top}" if goal.top > 1 else ""
        first = f"the {'first' if goal.order == 'ASC' else 'last'}{number} by"
        yield f", {first if goal.top else 'in order of'} {goal.ordered_by}"
    if goal.per:
        yield f", in total for each {goal.per}"
    if goal.by:
        yield f", for each {goal.by}{' of the patients' if goal.by_person else ''}"
    if goal.base not in ("", goal.of) and goal.shape != "top":
        yield f" of {_nouns(goal.base)[1]}"


def answer_columns(query: Query) -> tuple[str, ...]:
    """The names of the answer's columns, in the order of the SQL.

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
        last = _COLUMN_NAMES.get(goal.shape, goal.shape)
    return (goal.by, last) if goal.by else (last,)
