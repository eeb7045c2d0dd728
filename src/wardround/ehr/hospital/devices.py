"""Ventilators, lines and catheters in intensive care."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.performed_procedures import PerformedProcedure
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span, Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilation


class Device(NamedTuple):
    """A device in or on a person's body.

    Attributes:
        name: Its name in data/support.toml.
        item: Item id of MIMIC-IV's procedureevents.
        kind: "ventilation", "peripheral", "invasive" or "tube".
        site: The body site; None for a ventilator.
        start: The time of placement or arrival.
        end: The time of removal, or the end of the ICU stay.
        episode: Index of the ICU stay.
    """

    name: str
    item: int
    kind: str
    site: str | None
    start: datetime
    end: datetime
    episode: int


def devices(stay: Stay, done: list[PerformedProcedure]) -> list[Device]:
    """The devices of a stay's intensive care, by start."""
    draw = stay.draw("devices")
    procedures = {item.procedure.name: item.time for item in reversed(done)}
    placed = list(_ventilators(stay))
    for episode, span in enumerate(stay.intensive):
        for name, facts in toml("support")["devices"].items():
            start = _start(draw, span, facts, procedures)
            if start is not None:
                placed.append(_device(draw, name, facts, start, span.end, episode))
    return sorted(placed, key=lambda device: (device.start, device.item))


def _ventilators(stay: Stay) -> Iterator[Device]:
    item = toml("support")["ventilator"]["item"]
    for span in ventilation(stay):
        episode = sum(icu.end <= span.start for icu in stay.intensive)
        yield Device("ventilator", item, "ventilation", None, span.start, span.end, episode)


def _start(
    draw: RandomStream, span: Span, facts: dict[str, Any], procedures: dict[str, datetime]
) -> datetime | None:
    """The time of placement: with its procedure or soon after arrival; None if not placed."""
    lucky = draw.chance(facts["chance"])
    wait = minutes_after(span.start, draw.between(0.1, 1.5))
    if "procedure" not in facts:
        return wait if lucky else None
    time = procedures.get(facts["procedure"])
    if time is None or time >= span.end:
        return None
    return max(time, span.start)


def _device(
    draw: RandomStream,
    name: str,
    facts: dict[str, Any],
    start: datetime,
    end: datetime,
    episode: int,
) -> Device:
    last = min(end, minutes_after(start, 24 * draw.quantile(facts["days"])))
    if hours_between(start, last) < 0.5:
        last = end
    return Device(
        name, facts["item"], facts["kind"], draw.pick(facts["sites"]), start, last, episode
    )
