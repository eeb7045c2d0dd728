"""Draws questions whose conditions a user adds one by one, and keeps those that need each of them.

Source: EHR-ChatQA, 4.2.2 and B.1.1 (value sampling, SQL to text).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from wardround.authoring.chatqa.asked_records import ATTRIBUTES, AskedRecords, Rows, Stay
from wardround.authoring.chatqa.clinical_sense import meet
from wardround.authoring.chatqa.spoken_values import SpokenValue, attribute_words
from wardround.ehr.database import QueryError
from wardround.ehr.query import Bound, Condition, Goal, Period, Query, Relation, Span, Term
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.text.numerals import in_words
from wardround.ehr.times import time_filter

_MOST_ROWS = 100
_LEAST_STAYS = 3
_COMMON = 0.1  # the least share of stays that a value which is left out stands in
_AGES = (40, 50, 60, 65, 70, 75, 80)
_DAYS = (2, 3, 5, 7, 10, 14)
_WEEKS = (30, 60, 90, 180)
_TOPS = (1, 2, 3, 5)
# Sorts of conditions, those that are drawn more often twice.
_SORTS = (
    *("attribute", "age", "sex", "length", "event", "event", "without", "time"),
    *("test", "test", "route", "sequence", "intensive"),
)
# The goals of questions; most numbers of people and stays are small, and so easily guessed.
_GOALS = ("patients", "stays", "names", "names", "measure", "measure")
_HOURS = (24, 48, 72)
# Names of the frames of a measure, by function.
_MEASURES = {
    "length": {"AVG": "average", "MAX": "longest", "MIN": "shortest"},
    "age": {"AVG": "average", "MAX": "oldest", "MIN": "youngest"},
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A part of a question: what is asked for, or a condition, with the frame that says it.

    Attributes:
        frame: the name of the frame in the wordings.
        slots: what the frame is filled in with.
        condition: the condition; None for what is asked for.
    """

    frame: str
    slots: Mapping[str, str]
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Increment:
    """A question in steps: what is asked for, then each condition in the order of telling.

    Attributes:
        goal: what is asked for.
        asked: the frame of it.
        wishes: the conditions.
    """

    goal: Goal
    asked: Wish
    wishes: tuple[Wish, ...]

    @property
    def query(self) -> Query:
        """The question that the user ends with."""
        return Query(self.goal, _conditions(self.wishes))


def increments(records: AskedRecords, depth: int, random: Random) -> Iterator[Increment]:
    """Endless questions with some conditions each, all true of a stay that is drawn."""
    numbers = sorted(records.stays)
    while True:
        number = random.choice(numbers)
        goal, asked = _goal(records, random)
        scope: Scope = "record" if goal.of == "admission" else "admission"
        drawn = _wishes(records, number, records.stays[number], scope, random)
        wishes = {wish.frame.partition(".")[0]: wish for wish in islice(drawn, 3 * depth)}
        wishes.pop(goal.column, None)  # a limit on what is asked for would answer it
        chosen = list(wishes.values())[:depth]
        if len(chosen) == depth:
            yield Increment(goal, asked, tuple(chosen))


def reason_to_drop(draft: Increment, records: AskedRecords) -> str:
    """The reason why a question makes no task; "" if it makes one."""
    try:
        rows = records.rows(draft.query)
        if reason := _unusable(rows, draft.goal):
            return reason
        stays = records.rows(Query(Goal("count", "admission"), _conditions(draft.wishes)))
        if int(str(stays[0][0])) < _LEAST_STAYS:
            return "fewer than three stays"
        for number in range(len(draft.wishes)):
            others = (*draft.wishes[:number], *draft.wishes[number + 1 :])
            if _same(records.rows(Query(draft.goal, _conditions(others))), rows):
                return "a condition that changes nothing"
    except QueryError as error:
        return f"a query that fails ({error.kind})"
    return ""


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
    return ""


def _conditions(wishes: tuple[Wish, ...]) -> tuple[Condition, ...]:
    return tuple(wish.condition for wish in wishes if wish.condition is not None)


def _goal(records: AskedRecords, random: Random) -> tuple[Goal, Wish]:
    kinds = [kind for kind in ("drug", "diagnosis", "procedure") if records.views.has(kind, "name")]
    measures = ["length", *(["age"] if records.views.has("admission", "age") else [])]
    match random.choice(_GOALS):
        case "patients":
            return Goal("count", "patient"), Wish("goal.patients", {})
        case "stays":
            return Goal("count", "admission"), Wish("goal.stays", {})
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


def _wishes(
    records: AskedRecords, number: str, stay: Stay, scope: Scope, random: Random
) -> Iterator[Wish]:
    """Endless conditions that the drawn stay meets."""
    while True:
        match random.choice(_SORTS):
            case "attribute" if names := [n for n in ATTRIBUTES if n in stay.attributes]:
                name = random.choice(names)
                text = stay.attributes[name]
                yield Wish(
                    f"{name}.is",
                    {"value": attribute_words(name, text)},
                    Condition("admission", ((Role("admission", name), (text,)),), scope=scope),
                )
            case "age" if stay.age is not None:
                age = random.choice(_AGES)
                operator = ">=" if stay.age >= age else "<"
                frame = "age.from" if operator == ">=" else "age.below"
                bounds = (Bound(operator, age),)
                condition = Condition("admission", bounds=bounds, measured="age", scope=scope)
                yield Wish(frame, {"age": str(age)}, condition)
            case "sex" if stay.sex:
                sex = ((Role("patient", "sex"), Term(stay.sex)),)
                yield Wish(f"sex.{stay.sex}", {}, Condition("sex", sex))
            case "length" if stay.days is not None:
                days = random.choice(_DAYS)
                operator = ">" if stay.days > days else "<"
                frame = "length.over" if operator == ">" else "length.under"
                bounds = (Bound(operator, days),)
                condition = Condition("admission", bounds=bounds, measured="length", scope=scope)
                yield Wish(frame, {"days": str(days)}, condition)
            case "event" if held := _held(records, number, "drug", "diagnosis"):
                value = random.choice(held)
                kind = value.role.kind
                condition = Condition(kind, ((value.role, value.stored),), scope="admission")
                yield Wish(f"{kind}.had", {"name": value.spoken(random)}, condition)
            case "without" if common := _common(records, number):
                value = random.choice(common)
                kind, values = value.role.kind, ((value.role, value.stored),)
                condition = Condition(kind, values, is_negated=True, scope="admission")
                yield Wish(f"{kind}.none", {"name": value.spoken(random)}, condition)
            case "time":
                days = random.choice(_WEEKS)
                period = Period(time_filter("rel-day-since", day=days))
                condition = Condition("admission", periods=(period,), scope=scope)
                yield Wish("time.past", {"days": str(days)}, condition)
            case "test" if tests := _held(records, number, "lab"):
                yield from _abnormal(random.choice(tests), random)
            case "route" if drugs := _held(records, number, "drug"):
                yield from _given(records, random.choice(drugs), random)
            case "sequence" if drugs := _held(records, number, "drug"):
                yield from _in_sequence(records, random.choice(drugs), drugs, random)
            case "intensive" if records.views.has("icu", "admission"):
                is_negated = number not in records.intensive
                frame = "icu.none" if is_negated else "icu.had"
                condition = Condition("icu", is_negated=is_negated, scope="admission")
                yield Wish(frame, {}, condition)


def _abnormal(test: SpokenValue, random: Random) -> Iterator[Wish]:
    """A result of a test beyond a limit of its reference range."""
    lab = lab_named(test.name)
    if lab and lab.adult:
        frame, operator, limit = random.choice(
            (("lab.above", ">", lab.adult.high), ("lab.below", "<", lab.adult.low))
        )
        bounds = (Bound(operator, limit),)
        condition = Condition("lab", ((test.role, test.stored),), bounds=bounds, scope="admission")
        yield Wish(frame, {"name": test.spoken(random), "number": f"{limit:g}"}, condition)


def _given(records: AskedRecords, drug: SpokenValue, random: Random) -> Iterator[Wish]:
    """An order of a drug by a route."""
    known = {route for text in drug.stored for route in records.routes.get(text, ())}
    if routes := sorted(route for route in known if attribute_words("route", route) != route):
        route = random.choice(routes)
        if words := attribute_words("route", route):
            also = ((Role("drug", "route"), (route,)),)
            condition = Condition("drug", ((drug.role, drug.stored),), also, scope="admission")
            yield Wish("route.given", {"name": drug.spoken(random), "route": words}, condition)


def _in_sequence(
    records: AskedRecords, drug: SpokenValue, others: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """An order of a drug soon after one of another, of two that go together."""
    stays = len(records.stays)
    if earlier := [each for each in others if each is not drug and meet(each, drug, stays)]:
        before, hours = random.choice(earlier), random.choice(_HOURS)
        anchor = Condition("drug", ((before.role, before.stored),), scope="admission")
        relation = Relation("after", anchor, scope="admission", within=Span(hours, "hour"))
        values = ((drug.role, drug.stored),)
        slots = {"name": drug.spoken(random), "before": before.spoken(random), "hours": str(hours)}
        condition = Condition("drug", values, relation=relation, scope="admission")
        yield Wish("sequence.after", slots, condition)


def _held(records: AskedRecords, number: str, *kinds: str) -> list[SpokenValue]:
    return [
        value for kind in kinds for value in records.values.get(kind, ()) if number in value.stays
    ]


def _common(records: AskedRecords, number: str) -> list[SpokenValue]:
    least = _COMMON * len(records.stays)
    return [
        value
        for kind in ("drug", "diagnosis")
        for value in records.values.get(kind, ())
        if number not in value.stays and len(value.stays) >= least
    ]
