"""Sampling of one hospital stay: times, complications, operation, intensive care, outcome."""

from dataclasses import replace
from datetime import datetime, timedelta

from wardround.ehr.hospital.blood import transfusions
from wardround.ehr.hospital.catalogue import conditions, interventions, toml
from wardround.ehr.hospital.catalogue_entries import Condition
from wardround.ehr.hospital.enrichment import SHARE
from wardround.ehr.hospital.people import Person, age_band
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import (
    NOW,
    STAYS_OF_A_PERSON,
    Problem,
    Span,
    Stay,
    hours_between,
    identifier,
    minutes_after,
    season,
)


def sampled_stay(
    draw: RandomStream,
    person: Person,
    number: int,
    day: datetime,
    reason: Condition,
    histories: list[Condition],
    seasons: set[int],
) -> Stay:
    """A stay for a reason on a day.

    Args:
        draw: the person's random numbers for stays.
        person: the person.
        number: 0 for the first stay of the year.
        day: the day of admission.
        reason: the reason for admission.
        histories: the person's chronic conditions.
        seasons: the influenza seasons of earlier stays.
    """
    facts = toml("people")
    admitted = _arrival(draw, day, reason)
    severity = 0.75 + 0.5 * draw.uniform()
    complications = _complications(draw, reason, severity, person.enriched)
    grave = any(condition.name in facts["grave"] for condition in complications)
    died = draw.chance(_risk(reason, person.age_on(admitted.date()), grave))
    planned = _discharge(draw, admitted, reason, complications, died)
    end = min(planned, NOW)
    operation = _operation(draw, reason, admitted, end)
    intensive = _intensive(draw, reason, complications, admitted, end, operation, died)
    complications = _with_accompanying(
        draw, reason, complications, bool(intensive), died and planned < NOW
    )
    onsets = [(item, _onset(draw, item, operation or admitted, end)) for item in complications]
    stay = Stay(
        person=person,
        number=number,
        hadm_id=identifier(2, person.index * STAYS_OF_A_PERSON + number),
        admitted=admitted,
        end=end,
        open=planned >= NOW,
        died=died and planned < NOW,
        version=9 if person.draw(f"edition:{number}").chance(facts["icd9"]) else 10,
        reason=reason,
        problems=_problems(
            draw, person, [(reason, admitted), *onsets], histories, admitted, severity
        ),
        operation=operation,
        intensive=intensive,
        severity=severity,
        transfusions=(),
        vaccine_due=season(admitted) > 0 and season(admitted) not in seasons,
    )
    return replace(stay, transfusions=transfusions(stay))


def _arrival(draw: RandomStream, day: datetime, reason: Condition) -> datetime:
    """A typical arrival time for the reason on that day, hours before the current time."""
    first, last = toml("people")["entry"][reason.entry]["hours"]
    midnight = day.replace(hour=0, minute=0, second=0, microsecond=0)
    admitted = minutes_after(midnight, draw.between(first, last))
    late = admitted >= NOW - timedelta(hours=3)
    return admitted - timedelta(days=1) if late else admitted


def _complications(
    draw: RandomStream, reason: Condition, severity: float, enriched: frozenset[str]
) -> list[Condition]:
    """Complications of the reason, and their own complications."""
    complications: dict[str, Condition] = {}
    waiting = [reason]
    while waiting:
        for intervention in waiting.pop(0).complications:
            chance = min(1.0, intervention.chance * severity)
            if intervention.name in enriched:
                chance = max(chance, SHARE)
            if draw.chance(chance) and intervention.name not in complications:
                complications[intervention.name] = conditions("complications")[intervention.name]
                waiting.append(complications[intervention.name])
    return list(complications.values())


def _with_accompanying(
    draw: RandomStream,
    reason: Condition,
    complications: list[Condition],
    critical: bool,
    died: bool,
) -> list[Condition]:
    """Add unspecific complications of any illness."""
    facts = toml("people")["accompanying"]
    planned = reason.entry in ("surgery", "elective", "obstetric")
    occasions = ["planned" if planned else "emergency"]
    occasions += ["intensive"] * critical + ["dying"] * died
    added = {item.name: item for item in complications}
    for occasion in occasions:
        for intervention in interventions(facts[occasion]):
            if draw.chance(intervention.chance):
                added.setdefault(intervention.name, conditions("complications")[intervention.name])
    return list(added.values())


def _risk(reason: Condition, age: int, grave: bool) -> float:
    facts = toml("people")
    factor = facts["death_if_grave"] if grave else facts["death_otherwise"]
    return float(min(0.7, reason.death * facts["death_by_age"][age_band(age)] * factor))


def _discharge(
    draw: RandomStream,
    admitted: datetime,
    reason: Condition,
    complications: list[Condition],
    died: bool,
) -> datetime:
    """The end of the stay: discharge between 10:00 and 18:00, death at any hour."""
    days = draw.quantile(reason.days) + 0.5 * sum(item.late or item.icu for item in complications)
    discharged = minutes_after(admitted, 24 * days)
    if died or days < 1:
        return discharged
    hour = draw.between(10.5, 18.5)
    return minutes_after(discharged.replace(hour=0, minute=0), hour) + timedelta(
        days=1 if discharged.date() == admitted.date() else 0
    )


def _operation(
    draw: RandomStream, reason: Condition, admitted: datetime, end: datetime
) -> datetime | None:
    if not reason.theatre:
        return None
    planned = toml("people")["entry"][reason.entry]["emergency_room"] is False
    wait = draw.between(1.5, 4) if planned else draw.between(6, 26)
    time = minutes_after(admitted, wait)
    return time if time < end - timedelta(hours=6) else None


def _onset(draw: RandomStream, condition: Condition, started: datetime, end: datetime) -> datetime:
    hours = hours_between(started, end)
    if not condition.late:
        return started
    return minutes_after(started, min(draw.quantile([4, 16, 36, 66, 130]), 0.75 * hours))


def _problems(
    draw: RandomStream,
    person: Person,
    acute: list[tuple[Condition, datetime]],
    histories: list[Condition],
    admitted: datetime,
    severity: float,
) -> tuple[Problem, ...]:
    """Acute and chronic problems; those implied by another code are not coded."""
    present = {condition.name for condition, _ in acute}
    lasting = [(item, admitted) for item in histories if item.name not in present]
    implied = {name for condition, _ in acute + lasting for name in condition.absorbs}
    return tuple(
        Problem(
            condition=condition,
            codes=() if condition.name in implied else person.codes(condition),
            onset=onset,
            acute=condition.name in present,
            strength=severity * draw.quantile(toml("people")["strength"])
            if condition.name in present
            else person.control(condition),
        )
        for condition, onset in acute + lasting
    )


def _intensive(
    draw: RandomStream,
    reason: Condition,
    complications: list[Condition],
    admitted: datetime,
    end: datetime,
    operation: datetime | None,
    died: bool,
) -> tuple[Span, ...]:
    """ICU stays: usually one, sometimes a readmission after days on the ward."""
    facts = toml("people")
    chance = min(1.0, reason.intensive * facts["intensive_tilt"])
    if not (draw.chance(chance) or any(item.icu for item in complications)):
        return ()
    if operation is not None:
        start = minutes_after(operation, draw.between(4, 7))
    else:
        start = minutes_after(admitted, draw.quantile([0.5, 1.5, 3, 7, 30]))
    remaining = hours_between(start, end)
    if remaining < 16:
        return ()
    first = _critical(draw, start, end, remaining if died else remaining - 6, died)
    rest = hours_between(first.end, end)
    if died or rest < 60 or not draw.chance(facts["back_to_intensive_care"]):
        return (first,)
    start = minutes_after(first.end, draw.between(14, 0.6 * rest))
    return first, _critical(draw, start, end, hours_between(start, end) - 6, died)


def _critical(
    draw: RandomStream, start: datetime, end: datetime, longest: float, died: bool
) -> Span:
    share = 1.0 if died else draw.quantile([0.16, 0.29, 0.41, 0.58, 0.88])
    hours = min(longest, max(14.0, share * hours_between(start, end)))
    return Span(start, min(end, minutes_after(start, hours)))
