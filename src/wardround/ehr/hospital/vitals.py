"""Vital signs and body measures charted in intensive care."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Stay

PRESSURES = ("systolic", "diastolic", "mean_pressure")
# Vital signs respond faster than most blood values: hours to the peak, and half-life of recovery.
PEAK, TAU = 3.0, 36.0


class Reading(NamedTuple):
    """One charted value.

    Attributes:
        item: Item id of MIMIC-IV.
        value: None if charted as text only.
        text: The charted text; None for a number only.
        episode: Index of the ICU stay.
    """

    item: int
    time: datetime
    value: float | None = None
    unit: str | None = None
    text: str | None = None
    episode: int = 0


def readings(stay: Stay) -> Iterator[Reading]:
    """Vital signs and measures charted in a stay's intensive care, in time order by the hour."""
    if not stay.intensive:
        return
    draw = stay.draw("vitals")
    usual = usual_signs(stay)
    arterial = arterial_line(stay)
    names = [name for name in toml("fluids")["vitals"] if _charted(draw, name, arterial)]
    for episode, (start, end) in enumerate(stay.intensive):
        first = start.replace(minute=0) + timedelta(hours=1)
        offsets = {name: draw.whole(0, 5) for name in names}
        hours = int((end - first).total_seconds() // 3600) + 1
        for hour in range(max(hours, 0)):
            time = first + timedelta(hours=hour)
            if time < end:
                yield from _hour(draw, stay, usual, names, offsets, hour, time, episode)


def _charted(draw: RandomStream, name: str, arterial: bool) -> bool:
    """True if charted; blood pressure is from an arterial line if present, else from a cuff."""
    if name == "height":
        return draw.chance(0.6)
    if name == "weight":
        return draw.chance(0.75)
    return name not in PRESSURES or arterial


def arterial_line(stay: Stay) -> bool:
    """True if blood pressure is measured by arterial line."""
    sick = any(stay.has(name) for name in ("septic_shock", "cardiogenic_shock", "ventilated"))
    open_heart = stay.reason.unit == "cardiovascular"
    return sick or open_heart or stay.draw("line").chance(0.25)


def usual_signs(stay: Stay) -> dict[str, float]:
    """This person's resting values."""
    draw = stay.person.draw("vitals")
    signs = toml("fluids")["vitals"]
    usual = {name: sign["mean"] + sign["spread"] * draw.normal() for name, sign in signs.items()}
    return usual | {"weight": stay.person.weight, "height": float(stay.person.height)}


def _hour(
    draw: RandomStream,
    stay: Stay,
    usual: dict[str, float],
    names: list[str],
    offsets: dict[str, int],
    hour: int,
    time: datetime,
    episode: int,
) -> Iterator[Reading]:
    values: dict[str, float] = {}
    for name in names:
        sign = toml("fluids")["vitals"][name]
        every = sign["every"]
        due = hour == 0 if every == 0 else (hour + offsets[name] * (every > 1)) % every == 0
        if not due or (every == 1 and draw.chance(0.04)) or _missing(name, values):
            continue
        values[name] = _value(draw, stay, usual, values, name, time)
        yield Reading(sign["item"], time, values[name], sign["unit"], episode=episode)


def _missing(name: str, values: dict[str, float]) -> bool:
    """True if the components of the mean pressure are missing."""
    return name == "mean_pressure" and not {"systolic", "diastolic"} <= set(values)


def _value(
    draw: RandomStream,
    stay: Stay,
    usual: dict[str, float],
    values: dict[str, float],
    name: str,
    time: datetime,
) -> float:
    sign = toml("fluids")["vitals"][name]
    value = usual[name] + shift(stay, "vitals", name, time, PEAK, TAU)
    if name == "mean_pressure":
        value = values["diastolic"] + (values["systolic"] - values["diastolic"]) / 3
    value += sign["wobble"] * draw.normal()
    if name == "diastolic" and "systolic" in values:
        value = min(value, values["systolic"] - 15)
    return float(round(min(max(value, sign["floor"]), sign["ceiling"]), sign["decimals"]))
