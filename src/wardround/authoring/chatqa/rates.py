"""Goals that are rates: the share of stays, or of patients, that meet one condition more.

Source: EHR-ChatQA, 4.1 and A.5 (cohorts and survival rates).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Literal, TypeAlias

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.turns.turn import having
from wardround.authoring.chatqa.wishes import Wish, held_values
from wardround.ehr.query import Condition, Goal, Query, Relation, Span

Unit: TypeAlias = Literal["stays", "patients"]

_EVENTS = ("drug", "diagnosis", "procedure")
_DAYS = (30, 60, 90, 180, 365)
_GOALS: Mapping[Unit, Goal] = {
    "stays": Goal("share", "admission"),
    "patients": Goal("share", "patient"),
}


def rate(records: AskedRecords, number: str, random: Random) -> tuple[Goal, Wish]:
    """A rate that a stay, or its patient, counts for if it is one of an event.

    Args:
        records: the records.
        number: the stay.
        random: draws.

    Returns:
        The goal, and the condition of the whole.
    """
    by_kind = {kind: held_values(records, number, kind) for kind in _EVENTS}
    parts = [
        *((unit, kind) for unit in _GOALS for kind, values in by_kind.items() if values),
        *_parts_without_names(records),
    ]
    unit, part = random.choice(parts)
    asked = _of_event(unit, random.choice(by_kind[part]), random) if part in by_kind else None
    return _GOALS[unit], asked or _of_time(part, random)


def _parts_without_names(records: AskedRecords) -> Iterator[tuple[Unit, str]]:
    yield "stays", "return"
    if records.views.has("icu", "admission"):
        yield "stays", "icu"
    if records.views.has("death", "time"):
        yield from (("stays", "mortality"), ("stays", "survival"))
    if records.views.has("patient", "death"):
        yield "patients", "died"


def _of_event(unit: Unit, value: SpokenValue, random: Random) -> Wish:
    """A record of a value in the stay, or at any time of the patient."""
    condition = having(value)
    if unit == "stays":
        condition = replace(condition, scope="admission")
    kind = value.role.kind
    return Wish(f"goal.rate.{unit}.{kind}", {"name": value.spoken(random)}, condition)


def _of_time(part: str, random: Random) -> Wish:
    """An event that has no name, some of them within a time."""
    match part:
        case "icu":
            return Wish("goal.rate.stays.icu", {}, Condition("icu", scope="admission"))
        case "died":
            return Wish("goal.rate.patients.died", {}, Condition("death"))
    days = random.choice(_DAYS)
    within = Span(days, "day")
    if part == "return":
        relation = Relation("before", Condition("admission"), within=within, at="finish")
    else:
        relation = Relation("before", Condition("death"), within=within, by_day=True)
    is_negated = part == "survival"
    condition = Condition("admission", relation=relation, is_negated=is_negated, scope="record")
    return Wish(f"goal.rate.stays.{part}", {"days": str(days)}, condition)


def wrong_rates(query: Query) -> Iterator[Query]:
    """Rates that a hasty reader may give instead: of the others, the other way round, at any time.

    Nothing for a question about anything other than a rate.
    """
    for part in query.part:
        yield replace(query, part=(replace(part, is_negated=not part.is_negated),))
        yield replace(query, conditions=(part,), part=query.conditions)
        if part.relation and part.relation.within:
            relation = replace(part.relation, within=None)
            yield replace(query, part=(replace(part, relation=relation),))


def other_limits(query: Query) -> Iterator[Query]:
    """Rates whose days are counted from the minute of admission, or without the last of them."""
    for part in query.part:
        relation = part.relation
        if relation and relation.within and relation.by_day:
            shorter = replace(relation.within, number=relation.within.number - 1)
            for other in (replace(relation, by_day=False), replace(relation, within=shorter)):
                yield replace(query, part=(replace(part, relation=other),))
