"""Procedures: which are done in a stay and when."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import Procedure, Wish, procedures, toml, wishes
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilated_hours

MOST_REPEATS = 6


class Done(NamedTuple):
    """A procedure that was done."""

    procedure: Procedure
    time: datetime


def procedures_done(stay: Stay) -> list[Done]:
    """All procedures of a stay, in time order."""
    draw = stay.draw("operations")
    found: dict[str, list[Done]] = {}
    for wish, onset in _wishes(stay):
        if draw.chance(wish.chance):
            procedure = _chosen(draw, stay, wish.name)
            if procedure and procedure.name not in found:
                found[procedure.name] = list(_times(draw, stay, onset, procedure))
    done = [item for items in found.values() for item in items]
    if stay.transfusions:
        done.append(Done(procedures()["transfusion"], stay.transfusions[0]))
    return sorted(done, key=lambda item: (item.time, item.procedure.name))


def _wishes(stay: Stay) -> Iterator[tuple[Wish, datetime]]:
    """What may be done, and from when on it is wanted."""
    for problem in stay.problems:
        yield from ((wish, problem.onset) for wish in problem.condition.procedures)
    routine = toml("routine")["procedures"]
    yield from ((wish, stay.admitted) for wish in wishes(routine["everyone"]))
    if stay.intensive:
        yield from ((wish, stay.intensive[0].start) for wish in wishes(routine["intensive"]))


def _chosen(draw: Draw, stay: Stay, names: str) -> Procedure | None:
    """One of those joined by |, among those that the hours on a ventilator allow."""
    choices = [procedures()[name] for name in names.split("|")]
    hours = ventilated_hours(stay)
    possible = [item for item in choices if _long_enough(item, hours)]
    return draw.pick(possible) if possible else None


def _long_enough(procedure: Procedure, hours: float) -> bool:
    most = procedure.most_hours
    return procedure.least_hours <= hours and (most == 0 or 0 < hours <= most)


def _times(draw: Draw, stay: Stay, onset: datetime, procedure: Procedure) -> Iterator[Done]:
    time = _first(draw, stay, onset, procedure)
    for _ in range(MOST_REPEATS if procedure.every else 1):
        if not stay.inside(time):
            return
        yield Done(procedure, time)
        time = minutes_after(time, 24 * procedure.every + draw.between(-3, 3))


def _first(draw: Draw, stay: Stay, onset: datetime, procedure: Procedure) -> datetime:
    """In the operation, or on its day at a working hour, and never after the stay."""
    if procedure.theatre:
        return stay.operation or minutes_after(stay.admitted, min(20.0, 0.5 * stay.hours))
    started = max(onset, stay.admitted)
    if procedure.day == procedure.spread == 0:
        hours = draw.between(0.7, 5)
    else:
        hours = 24 * (procedure.day + procedure.spread * draw.uniform()) + draw.between(1, 9)
    latest = hours_between(started, stay.end - timedelta(hours=1))
    return minutes_after(started, max(0.1, min(hours, draw.between(0.2, 0.8) * latest)))
