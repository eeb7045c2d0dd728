"""Draws questions whose conditions a user adds one by one, and keeps those that need each of them.

Source: EHR-ChatQA, 4.2.2 and B.1.1 (value sampling, SQL to text).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords, Rows
from wardround.authoring.chatqa.other_readings import AMBIGUOUS
from wardround.authoring.chatqa.rates import other_limits, rate, wrong_rates
from wardround.authoring.chatqa.wishes import SORTS, Wish, wishes
from wardround.ehr.database import QueryError
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.query.model import Scope
from wardround.ehr.text.numerals import in_words

_MOST_ROWS = 100
_LEAST_COUNTED = 3
_TOPS = (1, 2, 3, 5)
_WHOLE = 100  # percent
# The goals of questions; most numbers of people and stays are small, and so easily guessed.
GOALS = ("patients", "stays", "names", "names", "measure", "measure", "rate", "rate")
# Names of the frames of a measure, by function.
_MEASURES = {
    "length": {"AVG": "average", "MAX": "longest", "MIN": "shortest"},
    "age": {"AVG": "average", "MAX": "oldest", "MIN": "youngest"},
}


@dataclass(frozen=True, slots=True)
class Increment:
    """A question in steps: what is asked for, then each condition in the order of telling.

    Attributes:
        goal: what is asked for.
        asked: its frame, and for a rate the condition of the whole.
        wishes: the conditions.
    """

    goal: Goal
    asked: Wish
    wishes: tuple[Wish, ...]

    @property
    def query(self) -> Query:
        """The question that the user ends with."""
        return Query(self.goal, _conditions(self.wishes), _conditions((self.asked,)))


def increments(
    records: AskedRecords,
    depth: int,
    random: Random,
    sorts: Sequence[str] = SORTS,
    goals: Sequence[str] = GOALS,
) -> Iterator[Increment]:
    """Endless questions with some conditions each, drawn from a stay.

    Args:
        records: the records.
        depth: the number of conditions.
        random: draws.
        sorts: the sorts of conditions that are drawn; repeated ones more often.
        goals: the goals that are drawn; repeated ones more often.
    """
    numbers = sorted(records.stays)
    while True:
        number = random.choice(numbers)
        goal, asked = _goal(records, number, goals, random)
        scope: Scope = "record" if goal.of == "admission" else "admission"
        drawn = wishes(records, number, scope, sorts, random)
        by_sort = {wish.frame.partition(".")[0]: wish for wish in islice(drawn, 3 * depth)}
        by_sort.pop(goal.column, None)  # a limit on what is asked for would answer it
        chosen = list(by_sort.values())[:depth]
        if len(chosen) == depth:
            yield Increment(goal, asked, tuple(chosen))


def reason_to_drop(draft: Increment, records: AskedRecords) -> str:
    """The reason why a question makes no task; "" if it makes one."""
    try:
        rows = records.rows(draft.query)
        if reason := _unusable(rows, draft.goal):
            return reason
        counted = draft.goal.of if draft.goal.shape == "share" else "admission"
        counts = records.rows(Query(Goal("count", counted), _conditions(draft.wishes)))
        if int(str(counts[0][0])) < _LEAST_COUNTED:
            return f"fewer than three {'patients' if counted == 'patient' else 'stays'}"
        for number in range(len(draft.wishes)):
            others = (*draft.wishes[:number], *draft.wishes[number + 1 :])
            query = replace(draft.query, conditions=_conditions(others))
            if _same(records.rows(query), rows):
                return "a condition that changes nothing"
        if any(_same(records.rows(query), rows) for query in wrong_rates(draft.query)):
            return "another rate with the same answer"
    except QueryError as error:
        return f"a query that fails ({error.kind})"
    return ""


def fault_of_words(draft: Increment, records: AskedRecords) -> str:
    """The reason to drop a question that is right otherwise; "" if its words have one meaning."""
    rows = records.rows(draft.query)
    query = draft.query
    readings = (*records.meanings.other_readings(query), *other_limits(query))
    is_clear = all(_same(records.rows(query), rows) for query in readings)
    return "" if is_clear else AMBIGUOUS


def _same(left: Rows, right: Rows) -> bool:
    """True if first columns are equal as sets: the published grader compares no more."""
    return {str(row[0]) for row in left} == {str(row[0]) for row in right}


def _unusable(rows: Rows, goal: Goal) -> str:
    if not rows or all(cell in (None, 0) for row in rows for cell in row):
        return "no result"
    if any(row[0] is None for row in rows):
        return "a NULL"
    if len(rows) > _MOST_ROWS:
        return "too many rows"
    if goal.shape == "top" and len(rows) != goal.top:
        return "a tie"
    if goal.shape == "share" and rows[0][0] == _WHOLE:
        return "a rate of everything"
    return ""


def _conditions(wishes: tuple[Wish, ...]) -> tuple[Condition, ...]:
    return tuple(wish.condition for wish in wishes if wish.condition is not None)


def _goal(
    records: AskedRecords, number: str, goals: Sequence[str], random: Random
) -> tuple[Goal, Wish]:
    """A goal with its frame; a rate is one that a stay may count for."""
    kinds = [kind for kind in ("drug", "diagnosis", "procedure") if records.views.has(kind, "name")]
    measures = ["length", *(["age"] if records.views.has("admission", "age") else [])]
    match random.choice(goals):
        case "patients":
            return Goal("count", "patient"), Wish("goal.patients", {})
        case "stays":
            return Goal("count", "admission"), Wish("goal.stays", {})
        case "rate":
            return rate(records, number, random)
        case "names":
            kind, top = random.choice(kinds), random.choice(_TOPS)
            goal = Goal("top", kind, top=top)
            if top == 1:
                return goal, Wish(f"goal.{kind}.one", {})
            return goal, Wish(f"goal.{kind}.several", {"number": in_words(top)})
        case _:
            column = random.choice(measures)
            function, name = random.choice(sorted(_MEASURES[column].items()))
            goal = Goal("aggregate", "admission", function, column)
            return goal, Wish(f"goal.{column}.{name}", {})
