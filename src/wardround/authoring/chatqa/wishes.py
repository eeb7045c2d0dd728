"""Conditions of questions, drawn from a stay that meets them.

Those on the order of two events are drawn from events that go together by the records.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from wardround.authoring.chatqa.asked_records import ATTRIBUTES, AskedRecords
from wardround.authoring.chatqa.clinical_sense import meet
from wardround.authoring.chatqa.spoken_values import SpokenValue, attribute_words
from wardround.ehr.query import Bound, Condition, Period, Relation, Span, Term
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.times import time_filter

# Sorts of conditions, those that are drawn more often twice.
SORTS = (
    *("attribute", "age", "sex", "length", "event", "event", "without", "time"),
    *("test", "test", "route", "sequence", "result", "procedure", "return", "intensive"),
)
_COMMON = 0.1  # the least share of stays that a value which is left out stands in
_AGES = (40, 50, 60, 65, 70, 75, 80)
_DAYS = (2, 3, 5, 7, 10, 14)
_WEEKS = (30, 60, 90, 180)
_HOURS = (24, 48, 72)
_DAYS_BEFORE = (1, 2, 3, 7)
_DAYS_AWAY = (30, 60, 90, 180)


@dataclass(frozen=True, slots=True)
class Wish:
    """A part of a question: what is asked for, or a condition, with the frame that says it.

    Attributes:
        frame: the name of the frame in the wordings.
        slots: the words that fill the frame.
        condition: the condition; for a rate, that of the whole; None for other goals.
    """

    frame: str
    slots: Mapping[str, str]
    condition: Condition | None = None


def wishes(
    records: AskedRecords,
    number: str,
    scope: Scope,
    sorts: Sequence[str],
    random: Random,
) -> Iterator[Wish]:
    """Endless conditions that a stay meets, but for those in time, which it may meet."""
    stay = records.stays[number]
    while True:
        match random.choice(sorts):
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
            case "event" if events := held_values(records, number, "drug", "diagnosis"):
                value = random.choice(events)
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
            case "test" if tests := held_values(records, number, "lab"):
                yield from _abnormal(random.choice(tests), random)
            case "route" if drugs := held_values(records, number, "drug"):
                yield from _by_route(records, random.choice(drugs), random)
            case "sequence" if drugs := held_values(records, number, "drug"):
                yield from drug_after_drug(records, random.choice(drugs), drugs, random)
            case "result" if tests := held_values(records, number, "lab"):
                drugs = held_values(records, number, "drug")
                yield from result_after_drug(records, random.choice(tests), drugs, random)
            case "procedure" if procedures := held_values(records, number, "procedure"):
                drugs = held_values(records, number, "drug")
                yield from drug_before_procedure(records, random.choice(procedures), drugs, random)
            case "return":
                yield from return_soon(scope, random)
            case "intensive" if records.views.has("icu", "admission"):
                is_negated = number not in records.intensive
                frame = "icu.none" if is_negated else "icu.had"
                condition = Condition("icu", is_negated=is_negated, scope="admission")
                yield Wish(frame, {}, condition)


def _abnormal(test: SpokenValue, random: Random) -> Iterator[Wish]:
    """A result of a test beyond a limit of its reference range."""
    if limit := beyond_limit(test, random):
        side, bound = limit
        values = ((test.role, test.stored),)
        condition = Condition("lab", values, bounds=(bound,), scope="admission")
        slots = {"name": test.spoken(random), "number": f"{bound.number:g}"}
        yield Wish(f"lab.{side}", slots, condition)


def _by_route(records: AskedRecords, drug: SpokenValue, random: Random) -> Iterator[Wish]:
    """An order of a drug by a route."""
    known = {route for text in drug.stored for route in records.routes.get(text, ())}
    if routes := sorted(route for route in known if attribute_words("route", route) != route):
        route = random.choice(routes)
        if words := attribute_words("route", route):
            also = ((Role("drug", "route"), (route,)),)
            condition = Condition("drug", ((drug.role, drug.stored),), also, scope="admission")
            yield Wish("route.given", {"name": drug.spoken(random), "route": words}, condition)


def held_values(records: AskedRecords, number: str, *kinds: str) -> list[SpokenValue]:
    """The values of some kinds of record that a stay has."""
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


def drug_after_drug(
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


def result_after_drug(
    records: AskedRecords, test: SpokenValue, drugs: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """A result beyond a limit soon after an order of a drug that goes with the test."""
    stays = len(records.stays)
    earlier = [each for each in drugs if meet(each, test, stays)]
    if earlier and (limit := beyond_limit(test, random)):
        side, bound = limit
        drug, hours = random.choice(earlier), random.choice(_HOURS)
        anchor = Condition("drug", ((drug.role, drug.stored),), scope="admission")
        relation = Relation("after", anchor, scope="admission", within=Span(hours, "hour"))
        condition = Condition(
            "lab",
            ((test.role, test.stored),),
            bounds=(bound,),
            relation=relation,
            scope="admission",
        )
        slots = {
            "name": test.spoken(random),
            "number": f"{bound.number:g}",
            "before": drug.spoken(random),
            "hours": str(hours),
        }
        yield Wish(f"result.{side}", slots, condition)


def drug_before_procedure(
    records: AskedRecords, procedure: SpokenValue, drugs: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """An order of a drug in the days before a procedure that goes with it, or on its day."""
    stays = len(records.stays)
    if earlier := [each for each in drugs if meet(each, procedure, stays)]:
        drug, days = random.choice(earlier), random.choice(_DAYS_BEFORE)
        anchor = Condition("procedure", ((procedure.role, procedure.stored),), scope="admission")
        relation = Relation(
            "before", anchor, scope="admission", within=Span(days, "day"), by_day=True
        )
        values = ((drug.role, drug.stored),)
        condition = Condition("drug", values, relation=relation, scope="admission")
        slots = {
            "name": drug.spoken(random),
            "procedure": procedure.spoken(random),
            "days": str(days),
        }
        yield Wish("preparation.before", slots, condition)


def return_soon(scope: Scope, random: Random) -> Iterator[Wish]:
    """Another stay of the patient that begins soon after the end of this one."""
    days = random.choice(_DAYS_AWAY)
    relation = Relation("before", Condition("admission"), within=Span(days, "day"), at="finish")
    condition = Condition("admission", relation=relation, scope=scope)
    yield Wish("return.within", {"days": str(days)}, condition)


def beyond_limit(test: SpokenValue, random: Random) -> tuple[str, Bound] | None:
    """A side and limit of the reference range of a test; None if it has no range."""
    lab = lab_named(test.name)
    if lab is None or lab.adult is None:
        return None
    return random.choice(
        (("above", Bound(">", lab.adult.high)), ("below", Bound("<", lab.adult.low)))
    )
