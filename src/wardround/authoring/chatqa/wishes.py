"""Conditions of questions, drawn from a stay that meets them."""

from collections.abc import Iterator, Sequence
from random import Random

from wardround.authoring.chatqa.asked_records import ATTRIBUTES, AskedRecords
from wardround.authoring.chatqa.event_orders import (
    beyond_limit,
    drug_after_drug,
    drug_before_procedure,
    result_after_drug,
    return_soon,
)
from wardround.authoring.chatqa.spoken_values import SpokenValue, attribute_words
from wardround.authoring.chatqa.wish import Wish
from wardround.ehr.query import Bound, Condition, Period, Term
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role
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
            case "event" if held := held_values(records, number, "drug", "diagnosis"):
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
            case "test" if tests := held_values(records, number, "lab"):
                yield from _abnormal(random.choice(tests), random)
            case "route" if drugs := held_values(records, number, "drug"):
                yield from _given(records, random.choice(drugs), random)
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


def _given(records: AskedRecords, drug: SpokenValue, random: Random) -> Iterator[Wish]:
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
