"""Draws queries whose conditions a user adds one by one, and keeps those that need each of them.

Source: EHR-ChatQA, 4.2.2 and B.1.1 (value sampling, SQL to text).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.database import Cell, Database, QueryError
from wardround.ehr.query import Bound, Condition, Goal, Query, Term, to_sql
from wardround.ehr.records import Role, Views

Rows: TypeAlias = list[tuple[Cell, ...]]

_MOST_ROWS = 100
_LEAST_STAYS = 3
_SECONDS = 5.0
_AGES = (40, 50, 60, 65, 70, 75, 80)
_DAYS = (2, 3, 5, 7, 10, 14)
# Columns of a hospital stay with few texts, each of which a person can ask for.
_ATTRIBUTES = ("source", "destination", "type", "insurance", "marital", "language")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A condition, and the words that a person says it in.

    Attributes:
        condition: the condition.
        frame: the name of its frame in the wordings.
        slots: what the frame is filled in with.
    """

    condition: Condition
    frame: str
    slots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Draft:
    """A question in steps: the goal first, then each condition.

    Attributes:
        goal: what is asked for.
        frame: the name of the goal's frame.
        slots: what it is filled in with.
        wanted: the conditions, in the order in which they are revealed.
    """

    goal: Goal
    frame: str
    slots: Mapping[str, str]
    wanted: tuple[Wanted, ...]

    @property
    def query(self) -> Query:
        """The question that the user ends with."""
        return Query(self.goal, tuple(each.condition for each in self.wanted))


@dataclass(frozen=True)
class Records:
    """A database with what can be asked about it."""

    database: Database
    views: Views
    values: Mapping[str, Sequence[SpokenValue]]
    attributes: Mapping[str, Sequence[tuple[str, int]]]

    def rows(self, query: Query, now: str = "") -> Rows:
        """The rows of a query."""
        sql = to_sql(query, self.views)
        return list(self.database.execute(sql, rows=None, seconds=_SECONDS).rows)


def open_records(
    database: Database, views: Views, values: Mapping[str, Sequence[SpokenValue]]
) -> Records:
    """The records of a database, with the texts of the attributes of stays."""
    attributes = {}
    for column in _ATTRIBUTES:
        if views.has("admission", column):
            sql = (
                f"SELECT t.{column}, COUNT(*) FROM ({views.sql['admission']}) t "
                f"WHERE t.{column} IS NOT NULL GROUP BY t.{column} ORDER BY 2 DESC, 1"
            )
            rows = database.execute(sql, rows=None).rows
            attributes[column] = [(str(text), int(str(count))) for text, count in rows]
    return Records(database, views, values, attributes)


def drafts(records: Records, depth: int, random: Random) -> Iterator[Draft]:
    """Endless drafts with some conditions each."""
    while True:
        goal, frame, slots = _goal(random)
        wanted: list[Wanted] = []
        makers = [_attribute, _age, _sex, _event, _event, _event, _length]
        random.shuffle(makers)
        for make in makers:
            if len(wanted) == depth:
                break
            made = make(records, goal.of, random)
            if made is not None and all(made.frame != each.frame or made.slots != each.slots for each in wanted):
                wanted.append(made)
        if len(wanted) == depth:
            yield Draft(goal, frame, slots, tuple(wanted))


def reason_to_drop(draft: Draft, records: Records) -> str:
    """The reason why a draft makes no task; "" if it makes one."""
    try:
        rows = records.rows(draft.query)
        if reason := _unusable(rows, draft.goal):
            return reason
        stays = Query(Goal("count", "admission"), draft.query.conditions)
        if draft.goal.of == "admission" and int(str(records.rows(stays)[0][0])) < _LEAST_STAYS:
            return "fewer than three stays"
        for number, each in enumerate(draft.wanted):
            others = (*draft.wanted[:number], *draft.wanted[number + 1 :])
            looser = Query(draft.goal, tuple(other.condition for other in others))
            if records.rows(looser) == rows:
                return f"a condition changes nothing: {each.frame}"
    except QueryError as error:
        return f"a query fails: {error.kind}"
    return ""


def _unusable(rows: Rows, goal: Goal) -> str:
    if not rows or all(cell in (None, 0) for row in rows for cell in row):
        return "no result"
    if any(row[0] is None for row in rows):
        return "a NULL"
    if len(rows) > _MOST_ROWS:
        return "too many rows"
    if goal.shape == "top":
        if len(rows) != goal.top:
            return "a tie"
    return ""


def _goal(random: Random) -> tuple[Goal, str, Mapping[str, str]]:
    match random.choice(("patients", "stays", "stays", "names", "length", "age")):
        case "patients":
            return Goal("count", "patient"), "count_patients", {}
        case "stays":
            return Goal("count", "admission"), "count_stays", {}
        case "names":
            kind = random.choice(("drug", "diagnosis", "procedure"))
            top = random.choice((1, 2, 3, 5))
            return Goal("top", kind, top=top), f"top_{kind}", {"number": str(top)}
        case "length":
            function = random.choice(("AVG", "MAX", "MIN"))
            goal = Goal("aggregate", "admission", function, "length")
            return goal, f"length_{function.lower()}", {}
        case _:
            function = random.choice(("AVG", "MAX", "MIN"))
            goal = Goal("aggregate", "admission", function, "age")
            return goal, f"age_{function.lower()}", {}


def _scope(of: str) -> str:
    return "record" if of == "admission" else "admission"


def _attribute(records: Records, of: str, random: Random) -> Wanted | None:
    column = random.choice(list(records.attributes))
    text, _ = random.choice(records.attributes[column])
    values = ((Role("admission", column), (text,)),)
    scope = _scope(of)
    return Wanted(Condition("admission", values, scope=scope), f"stay_{column}", {"value": text})  # type: ignore[arg-type]


def _age(records: Records, of: str, random: Random) -> Wanted | None:
    age, operator = random.choice(_AGES), random.choice((">=", "<"))
    condition = Condition(
        "admission", bounds=(Bound(operator, age),), measured="age", scope=_scope(of)  # type: ignore[arg-type]
    )
    return Wanted(condition, "age_from" if operator == ">=" else "age_below", {"age": str(age)})


def _length(records: Records, of: str, random: Random) -> Wanted | None:
    days, operator = random.choice(_DAYS), random.choice((">", "<"))
    condition = Condition(
        "admission", bounds=(Bound(operator, days),), measured="length", scope=_scope(of)  # type: ignore[arg-type]
    )
    return Wanted(condition, "longer" if operator == ">" else "shorter", {"days": str(days)})


def _sex(records: Records, of: str, random: Random) -> Wanted | None:
    sex = random.choice(("female", "male"))
    condition = Condition("sex", ((Role("patient", "sex"), Term(sex)),))
    return Wanted(condition, f"sex_{sex}", {})


def _event(records: Records, of: str, random: Random) -> Wanted | None:
    kind = random.choice(list(records.values))
    if kind == of:
        return None
    value = random.choice(records.values[kind])
    condition = Condition(kind, ((value.role, value.stored),), scope="admission")
    said = {"name": value.spoken(random)}
    if kind == "lab":
        return None
    if random.random() < 0.2:
        return Wanted(replace(condition, is_negated=True), f"no_{kind}", said)
    return Wanted(condition, f"had_{kind}", said)
