"""Nursing chart: cuff pressures, consciousness, pain, oxygen, rhythm, code status."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span, Stay, minutes_after
from wardround.ehr.hospital.ventilation import ventilation
from wardround.ehr.hospital.vitals import PEAK, TAU, Reading, arterial_line, usual_signs


def observations(stay: Stay) -> Iterator[Reading]:
    """Everything charted in a stay's intensive care except `vitals.readings`, in time order."""
    if not stay.intensive:
        return
    draw = stay.draw("charting")
    usual = usual_signs(stay)
    breathing = ventilation(stay)
    cuff_every = 6 if arterial_line(stay) else 1
    for number, episode in enumerate(stay.intensive):
        for item in _episode(draw, stay, episode, usual, breathing, cuff_every):
            yield item._replace(episode=number)


def _episode(
    draw: RandomStream,
    stay: Stay,
    episode: Span,
    usual: dict[str, float],
    breathing: list[Span],
    cuff_every: int,
) -> Iterator[Reading]:
    time = episode.start.replace(minute=0) + timedelta(hours=1)
    for hour in range(int(episode.hours) + 2):
        if time >= episode.end:
            return
        if hour == 0:
            yield from _on_arrival(stay, time)
        if hour % cuff_every == 0:
            yield from _cuff(draw, stay, usual, time)
        if hour % 2 == 0:
            yield _rhythm(draw, stay, usual, time)
        if hour % 4 == 0:
            machine = any(span.holds(time) for span in breathing)
            yield _temperature(draw, stay, usual, time)
            yield from _consciousness(draw, stay, time, machine)
            yield from _breathing(draw, stay, time, machine)
        time += timedelta(hours=1)


def _on_arrival(stay: Stay, time: datetime) -> Iterator[Reading]:
    weight = round(stay.person.weight, 1)
    yield Reading(_item("admission_weight"), time, weight, "kg")
    at = [status for since, status in code_status(stay) if since <= time]
    yield Reading(_item("code_status"), time, text=at[-1] if at else "Full code")


def _item(name: str) -> int:
    item: int = toml("charting")["items"][name]
    return item


def _cuff(
    draw: RandomStream, stay: Stay, usual: dict[str, float], time: datetime
) -> Iterator[Reading]:
    """Cuff pressures: slightly lower systolic and higher diastolic than arterial ones."""
    shifted = {
        name: usual[name] + shift(stay, "vitals", name, time, PEAK, TAU)
        for name in ("systolic", "diastolic")
    }
    top = min(230.0, max(55.0, shifted["systolic"] - 1 + 8 * draw.normal()))
    bottom = min(top - 15, max(25.0, shifted["diastolic"] + 3 + 6 * draw.normal()))
    mean = bottom + (top - bottom) / 3
    for name, value in (("systolic", top), ("diastolic", bottom), ("mean", mean)):
        yield Reading(_item(f"cuff_{name}"), time, float(round(value)), "mmHg")


def _rhythm(draw: RandomStream, stay: Stay, usual: dict[str, float], time: datetime) -> Reading:
    rate = usual["heart_rate"] + shift(stay, "vitals", "heart_rate", time, PEAK, TAU)
    fibrillates = stay.has("atrial_fibrillation") or stay.has("postoperative_fibrillation")
    if (fibrillates or stay.reason.name == "rapid_fibrillation") and draw.chance(0.65):
        words = "AF (Atrial Fibrillation)"
    elif rate > 100:
        words = "ST (Sinus Tachycardia)"
    else:
        words = "SB (Sinus Bradycardia)" if rate < 60 else "SR (Sinus Rhythm)"
    return Reading(_item("rhythm"), time, text=words)


def _temperature(
    draw: RandomStream, stay: Stay, usual: dict[str, float], time: datetime
) -> Reading:
    celsius = usual["temperature"] + shift(stay, "vitals", "temperature", time, PEAK, TAU)
    fahrenheit = 32 + 1.8 * min(41.5, max(33.5, celsius + 0.25 * draw.normal()))
    return Reading(_item("temperature"), time, float(round(fahrenheit, 1)), "°F")


def _consciousness(
    draw: RandomStream, stay: Stay, time: datetime, machine: bool
) -> Iterator[Reading]:
    """Glasgow Coma Scale, sedation and pain; tubes prevent speech, sedation lowers scores."""
    lost = -shift(stay, "vitals", "consciousness", time, PEAK, 48.0) + 0.35 * draw.normal()
    lost += draw.between(1.0, 4.5) if machine else 0.0
    scores = {
        "eyes": _score(4 - 0.34 * lost, 4),
        "verbal": 1 if machine else _score(5 - 0.5 * lost, 5),
        "motor": _score(6 - 0.36 * lost, 6),
    }
    for name, score in scores.items():
        words: str = toml("charting")[name][score - 1]
        tube = machine and name == "verbal"
        text = "No Response-ETT" if tube else words
        yield Reading(_item(name), time, float(score), text=text)
    calm = -min(5, round(0.55 * lost)) if lost > 0.6 else 0
    agitated = stay.has("delirium") or stay.reason.name == "alcohol_withdrawal"
    level = 1 + draw.whole(0, 1) if agitated and draw.chance(0.4) else calm
    yield Reading(
        _item("sedation"), time, float(level), text=toml("charting")["sedation"][level + 5]
    )
    if lost < 3:
        operated = stay.operation is not None and stay.operation < time
        pain = max(0, min(10, round((3.2 if operated else 1.4) + 1.9 * draw.normal())))
        yield Reading(_item("pain"), time, float(pain), text=str(pain))


def _score(value: float, most: int) -> int:
    return max(1, min(most, round(value)))


def _breathing(draw: RandomStream, stay: Stay, time: datetime, machine: bool) -> Iterator[Reading]:
    """Oxygen or ventilator settings, by severity of lung disease."""
    short = max(0.0, -shift(stay, "vitals", "saturation", time, PEAK, TAU))
    facts = toml("support")["ventilator"]
    if machine:
        share = 5 * round((40 + 4.5 * short + 6 * draw.uniform()) / 5)
        height = stay.person.height - 152.4
        ideal = (45.5 if stay.person.female else 50.0) + 0.91 * height
        yield Reading(_item("oxygen_device"), time, text="Endotracheal tube")
        yield Reading(_item("oxygen_share"), time, float(min(100, share)))
        yield Reading(_item("end_pressure"), time, float(min(16, 5 + int(short / 2))), "cmH2O")
        yield Reading(_item("tidal_volume"), time, float(10 * round(0.7 * ideal)), "mL")
        yield Reading(_item("mode"), time, text=draw.weighted(facts["modes"]))
        return
    device = "None" if short < 0.5 and draw.chance(0.6) else draw.weighted(facts["oxygen"])
    yield Reading(_item("oxygen_device"), time, text=device)
    if device != "None":
        flow = (20 if "High flow" in device else 2) + int(short / 2)
        yield Reading(_item("oxygen_flow"), time, float(flow), "L/min")


FULL, DECLINED, COMFORT = "Full code", "DNR / DNI", "Comfort measures only"


def code_status(stay: Stay) -> list[tuple[datetime, str]]:
    """Changes of code status with their times; the first is at admission.

    Most deaths in intensive care follow a decision to limit treatment, days to hours before.
    """
    declined = stay.has("do_not_resuscitate")
    changes = [(stay.admitted, DECLINED if declined else FULL)]
    draw = stay.draw("goals")
    if stay.died and draw.chance(0.75):
        left = min(stay.hours / 2, draw.between(4, 40))
        changes.append((minutes_after(stay.end, -left), DECLINED if draw.chance(0.35) else COMFORT))
    return changes
