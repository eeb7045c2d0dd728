"""Ventilators, lines and catheters: what supports a person in intensive care, and how long."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.operations import Done
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import Span, Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilation


class Device(NamedTuple):
    """Something in or on a person's body for a while.

    Attributes:
        name: Its name in data/support.toml.
        item: Item id of MIMIC-IV's procedureevents.
        kind: "ventilation", "peripheral", "invasive" or "tube".
        site: Where in the body; None for a ventilator.
        start: When it was placed, or when the person came with it.
        end: When it was taken out, or the end of the time in intensive care.
        episode: During which of the stay's times in intensive care.
    """

    name: str
    item: int
    kind: str
    site: str | None
    start: datetime
    end: datetime
    episode: int


def devices(stay: Stay, done: list[Done]) -> list[Device]:
    """The devices of a stay's intensive care, by start."""
    draw = stay.draw("devices")
    procedures = {item.procedure.name: item.time for item in reversed(done)}
    found = list(_ventilators(stay))
    for episode, span in enumerate(stay.intensive):
        for name, facts in toml("support")["devices"].items():
            start = _start(draw, span, facts, procedures)
            if start is not None:
                found.append(_device(draw, name, facts, start, span.end, episode))
    return sorted(found, key=lambda device: (device.start, device.item))


def _ventilators(stay: Stay) -> Iterator[Device]:
    item = toml("support")["ventilator"]["item"]
    for span in ventilation(stay):
        episode = sum(other.end <= span.start for other in stay.intensive)
        yield Device("ventilator", item, "ventilation", None, span.start, span.end, episode)


def _start(
    draw: Draw, span: Span, facts: dict[str, Any], procedures: dict[str, datetime]
) -> datetime | None:
    """When it is placed: with its procedure, or soon after arrival; None if it is not."""
    lucky = draw.chance(facts["chance"])
    wait = minutes_after(span.start, draw.between(0.1, 1.5))
    if "procedure" not in facts:
        return wait if lucky else None
    time = procedures.get(facts["procedure"])
    if time is None or time >= span.end:
        return None
    return max(time, span.start)


def _device(
    draw: Draw, name: str, facts: dict[str, Any], start: datetime, end: datetime, episode: int
) -> Device:
    last = min(end, minutes_after(start, 24 * draw.quantile(facts["days"])))
    if hours_between(start, last) < 0.5:
        last = end
    return Device(
        name, facts["item"], facts["kind"], draw.pick(facts["sites"]), start, last, episode
    )
