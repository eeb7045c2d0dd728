"""Fluid intake and output in intensive care."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.performed_procedures import PerformedProcedure
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span, Stay, hours_between, minutes_after


class FluidVolume(NamedTuple):
    """One amount of fluid, in ml.

    Attributes:
        item: Item id of MIMIC-IV.
        time: The time of administration or measurement.
        volume: In ml.
        episode: Index of the ICU stay.
        hours: Duration; 0 for a single administration or measurement.
    """

    item: int
    time: datetime
    volume: float
    episode: int = 0
    hours: float = 0.0


def intake(stay: Stay, done: list[PerformedProcedure]) -> Iterator[FluidVolume]:
    """Fluids, feeds and blood given in intensive care."""
    draw = stay.draw("given")
    yield from _routine(draw, stay, "given")
    yield from _blood(draw, stay)
    for fluid in toml("fluids")["given_with"].values():
        if _occasion(stay, done, fluid):
            yield from _units(draw, stay, fluid)


def output(stay: Stay, done: list[PerformedProcedure]) -> Iterator[FluidVolume]:
    """Urine and output of drains and tubes."""
    draw = stay.draw("lost")
    yield from _routine(draw, stay, "lost")
    for fluid in toml("fluids")["lost_with"].values():
        if _occasion(stay, done, fluid):
            yield from _drain_output(draw, stay, fluid)


def _routine(draw: RandomStream, stay: Stay, kind: str) -> Iterator[FluidVolume]:
    for episode, span in enumerate(stay.intensive):
        for fluid in toml("fluids")[kind].values():
            if draw.chance(fluid["chance"]):
                share = _urine(stay) if fluid.get("urine") else 1.0
                for time in _times(draw, span, fluid["every"]):
                    volume = _volume(draw, fluid, time, episode)
                    amount = volume.volume
                    yield volume._replace(volume=float(round(share * amount / 5) * 5 or 5))


def _urine(stay: Stay) -> float:
    """This person's urine output relative to normal."""
    shares: dict[str, float] = toml("support")["urine"]
    return min((share for name, share in shares.items() if stay.has(name)), default=1.0)


def _blood(draw: RandomStream, stay: Stay) -> Iterator[FluidVolume]:
    cells = toml("fluids")["blood"]["packed_cells"]
    for episode, span in enumerate(stay.intensive):
        for time in stay.transfusions:
            if span.holds(time):
                yield _volume(draw, cells, time, episode)


def _times(draw: RandomStream, span: Span, hours: float) -> Iterator[datetime]:
    time = minutes_after(span.start, hours * draw.uniform() + 0.3)
    while time < span.end:
        yield time
        time = minutes_after(time, hours * draw.between(0.6, 1.5) + 0.02)


def _occasion(stay: Stay, done: list[PerformedProcedure], fluid: dict[str, Any]) -> bool:
    if not stay.intensive:
        return False
    if "condition" in fluid:
        return stay.has(fluid["condition"])
    return any(item.procedure.name == fluid["procedure"] for item in done)


def _units(draw: RandomStream, stay: Stay, fluid: dict[str, Any]) -> Iterator[FluidVolume]:
    start, end = stay.intensive[0]
    hours = hours_between(start, end)
    for _ in range(draw.whole(*fluid["units"])):
        yield _volume(draw, fluid, minutes_after(start, draw.between(0.1, 0.9) * hours))


def _drain_output(draw: RandomStream, stay: Stay, fluid: dict[str, Any]) -> Iterator[FluidVolume]:
    start, end = stay.intensive[0]
    if not fluid["hours"]:
        yield _volume(draw, fluid, minutes_after(start, 0.1))
        return
    for time in _times(draw, Span(start, min(end, minutes_after(start, 60))), fluid["hours"]):
        yield _volume(draw, fluid, time)


def _volume(
    draw: RandomStream, fluid: dict[str, Any], time: datetime, episode: int = 0
) -> FluidVolume:
    """A volume in steps of 5 ml; small ones are more common."""
    share = (
        draw.uniform() * draw.uniform() if fluid["most"] > 2 * fluid["least"] else draw.uniform()
    )
    volume = fluid["least"] + (fluid["most"] - fluid["least"]) * share
    amount = float(round(volume / 5) * 5 or round(volume))
    return FluidVolume(fluid["item"], time, amount, episode, fluid.get("runs", 0.0))
