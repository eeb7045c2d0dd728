"""Procedures of a stay and their times."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import interventions, procedures, toml
from wardround.ehr.hospital.catalogue_entries import Intervention, Procedure
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilated_hours

MOST_REPEATS = 6


class PerformedProcedure(NamedTuple):
    """A performed procedure."""

    procedure: Procedure
    time: datetime


def performed_procedures(stay: Stay) -> list[PerformedProcedure]:
    """All procedures of a stay, in time order."""
    draw = stay.draw("operations")
    by_name: dict[str, list[PerformedProcedure]] = {}
    for intervention, onset in _interventions(stay):
        if draw.chance(intervention.chance):
            procedure = _alternative(draw, stay, intervention.name)
            if procedure and procedure.name not in by_name:
                by_name[procedure.name] = list(_times(draw, stay, onset, procedure))
    performed = [item for items in by_name.values() for item in items]
    if stay.transfusions:
        performed.append(PerformedProcedure(procedures()["transfusion"], stay.transfusions[0]))
    return sorted(performed, key=lambda item: (item.time, item.procedure.name))


def _interventions(stay: Stay) -> Iterator[tuple[Intervention, datetime]]:
    """Possible procedures, each with the time of its indication."""
    for problem in stay.problems:
        yield from ((intervention, problem.onset) for intervention in problem.condition.procedures)
    routine = toml("routine")["procedures"]
    yield from (
        (intervention, stay.admitted) for intervention in interventions(routine["everyone"])
    )
    if stay.intensive:
        yield from (
            (intervention, stay.intensive[0].start)
            for intervention in interventions(routine["intensive"])
        )


def _alternative(draw: RandomStream, stay: Stay, names: str) -> Procedure | None:
    """One of the alternatives separated by |, of those that the ventilator hours allow."""
    choices = [procedures()[name] for name in names.split("|")]
    hours = ventilated_hours(stay)
    possible = [item for item in choices if _long_enough(item, hours)]
    return draw.pick(possible) if possible else None


def _long_enough(procedure: Procedure, hours: float) -> bool:
    most = procedure.most_hours
    return procedure.least_hours <= hours and (most == 0 or 0 < hours <= most)


def _times(
    draw: RandomStream, stay: Stay, onset: datetime, procedure: Procedure
) -> Iterator[PerformedProcedure]:
    time = _first(draw, stay, onset, procedure)
    for _ in range(MOST_REPEATS if procedure.every else 1):
        if not stay.inside(time):
            return
        yield PerformedProcedure(procedure, time)
        time = minutes_after(time, 24 * procedure.every + draw.between(-3, 3))


def _first(draw: RandomStream, stay: Stay, onset: datetime, procedure: Procedure) -> datetime:
    """During the operation or in working hours of its day, within the stay."""
    if procedure.theatre:
        return stay.operation or minutes_after(stay.admitted, min(20.0, 0.5 * stay.hours))
    started = max(onset, stay.admitted)
    if procedure.day == procedure.spread == 0:
        hours = draw.between(0.7, 5)
    else:
        hours = 24 * (procedure.day + procedure.spread * draw.uniform()) + draw.between(1, 9)
    latest = hours_between(started, stay.end - timedelta(hours=1))
    return minutes_after(started, max(0.1, min(hours, draw.between(0.2, 0.8) * latest)))
