"""Fluids given and lost in intensive care."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.draw import Draw
from wardround.ehr.hospital.operations import Done
from wardround.ehr.hospital.stays import Stay, hours_between, minutes_after


class Volume(NamedTuple):
    """One amount of fluid, in ml."""

    item: int
    time: datetime
    volume: float


def given(stay: Stay, done: list[Done]) -> Iterator[Volume]:
    """Fluids and feeds given."""
    draw = stay.draw("given")
    yield from _routine(draw, stay, "given")
    for fluid in toml("fluids")["given_with"].values():
        if _occasion(stay, done, fluid):
            yield from _units(draw, stay, fluid)


def lost(stay: Stay, done: list[Done]) -> Iterator[Volume]:
    """Urine and what drains and tubes bring."""
    draw = stay.draw("lost")
    yield from _routine(draw, stay, "lost")
    for fluid in toml("fluids")["lost_with"].values():
        if _occasion(stay, done, fluid):
            yield from _drained(draw, stay, fluid)


def _routine(draw: Draw, stay: Stay, kind: str) -> Iterator[Volume]:
    if stay.intensive is None:
        return
    for fluid in toml("fluids")[kind].values():
        if draw.chance(fluid["chance"]):
            for time in _times(draw, *stay.intensive, fluid["every"]):
                yield _volume(draw, fluid, time)


def _times(draw: Draw, start: datetime, end: datetime, hours: float) -> Iterator[datetime]:
    time = minutes_after(start, hours * draw.uniform() + 0.3)
    while time < end:
        yield time
        time = minutes_after(time, hours * draw.between(0.6, 1.5) + 0.02)


def _occasion(stay: Stay, done: list[Done], fluid: dict[str, Any]) -> bool:
    if stay.intensive is None:
        return False
    if "condition" in fluid:
        return stay.has(fluid["condition"])
    return any(item.procedure.name == fluid["procedure"] for item in done)


def _units(draw: Draw, stay: Stay, fluid: dict[str, Any]) -> Iterator[Volume]:
    start, end = stay.intensive or (stay.admitted, stay.end)
    hours = hours_between(start, end)
    for _ in range(draw.whole(*fluid["units"])):
        yield _volume(draw, fluid, minutes_after(start, draw.between(0.1, 0.9) * hours))


def _drained(draw: Draw, stay: Stay, fluid: dict[str, Any]) -> Iterator[Volume]:
    start, end = stay.intensive or (stay.admitted, stay.end)
    if not fluid["hours"]:
        yield _volume(draw, fluid, minutes_after(start, 0.1))
        return
    last = min(end, minutes_after(start, 60))
    for time in _times(draw, start, last, fluid["hours"]):
        yield _volume(draw, fluid, time)


def _volume(draw: Draw, fluid: dict[str, Any], time: datetime) -> Volume:
    """Small amounts are commoner than large ones; pumps and marks give steps of 5 ml."""
    share = (
        draw.uniform() * draw.uniform() if fluid["most"] > 2 * fluid["least"] else draw.uniform()
    )
    volume = fluid["least"] + (fluid["most"] - fluid["least"]) * share
    return Volume(fluid["item"], time, float(round(volume / 5) * 5 or round(volume)))
