"""Measures that are derived from others: ratios, sums of scales, signs, and findings of a chart."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from wardround.ehr.scores.facts import Facts, Infusion, Measurement

# Oxygen counts for gases of the next hours, and a ventilator's mode for assessments of a day.
_OXYGEN_COUNTS, _MODE_COUNTS = timedelta(hours=4), timedelta(hours=24)
_HOUR = timedelta(hours=1)
_OFF = "standby"
_SPEAKS, _SILENT = 5, 1
_CHARTED = "heart_rate"


def with_derived(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Measurements with those derived from them, by time.

    Derived are the PaO2 of arterial samples and its ratio to FiO2, the Glasgow Coma Scale, and the
    base deficit.
    """
    arterial = list(_arterial(measurements))
    derived = (*arterial, *_ratios(arterial, measurements), *_coma(measurements))
    deficits = [
        Measurement(m.time, "base_deficit", -m.value)
        for m in measurements
        if m.measure == "base_excess" and m.value is not None
    ]
    return sorted((*measurements, *derived, *deficits), key=lambda m: m.time)


def ventilated(facts: Facts, start: datetime) -> bool | None:
    """True with a ventilator's mode since a time; false in a chart without one, else None."""
    modes = [m for m in facts.measurements if m.measure == "ventilator_mode" and m.time >= start]
    if any(m.words.lower() != _OFF for m in modes):
        return True
    return False if is_charted(facts, start) else None


def confused(facts: Facts, start: datetime) -> bool | None:
    """True with a confused verbal response since a time; None if no response was assessed.

    No response at all tells nothing, as of somebody with a tube.
    """
    spoken = [
        m.value
        for m in facts.measurements
        if m.measure == "verbal_response" and m.time >= start and m.value != _SILENT
    ]
    return any(value != _SPEAKS for value in spoken) if spoken else None


def is_charted(facts: Facts, start: datetime) -> bool:
    """True if vital signs were charted since a time: infusions and ventilators would be too."""
    return any(m.measure == _CHARTED and m.time >= start for m in facts.measurements)


def daily_urine(facts: Facts, start: datetime) -> float | None:
    """The urine of a day since a time; None unless the chart covers all the time."""
    charted = [m.time for m in facts.measurements if m.measure == _CHARTED]
    volumes = [
        m.value
        for m in facts.measurements
        if m.measure == "urine" and m.time > start and m.value is not None
    ]
    days = (facts.time - start) / timedelta(days=1)
    if not volumes or min(charted, default=facts.time) > start + _HOUR or days <= 0:
        return None
    return sum(volumes) / days


def infusion_rate(facts: Facts, item: str, start: datetime) -> float | None:
    """The highest rate that an infusion had for an hour since a time; 0 if it was not given."""
    running = [i for i in facts.infusions if i.item == item and i.end > start]
    rates = [i.rate for i in running if i.rate is not None]
    if len(rates) < len(running) or not (running or is_charted(facts, start)):
        return None
    lasting = (rate for rate in rates if _duration(running, rate, start) >= _HOUR)
    return max(lasting, default=0.0)


def _duration(running: Iterable[Infusion], rate: float, start: datetime) -> timedelta:
    """The time with at least a rate."""
    spans = (i.end - max(i.start, start) for i in running if i.rate is not None and i.rate >= rate)
    return sum(spans, timedelta())


def _arterial(measurements: Sequence[Measurement]) -> Iterator[Measurement]:
    """The PaO2 of samples that are arterial, or whose kind nobody wrote down."""
    kinds = {m.time: m.words.lower() for m in measurements if m.measure == "specimen"}
    for m in measurements:
        if m.measure == "pao2" and kinds.get(m.time, "art").startswith("art"):
            yield Measurement(m.time, "arterial_pao2", m.value)


def _ratios(
    arterial: Iterable[Measurement], measurements: Sequence[Measurement]
) -> Iterator[Measurement]:
    """PaO2 by FiO2, the share of oxygen written as percent or as a fraction."""
    shares = [m for m in measurements if m.measure == "oxygen" and m.value]
    for gas in arterial:
        before = [m for m in shares if gas.time - _OXYGEN_COUNTS <= m.time <= gas.time]
        if before and gas.value is not None and (share := before[-1].value):
            yield Measurement(
                gas.time, "pao2_fio2", gas.value / (share / 100 if share > 1 else share)
            )


def _coma(measurements: Sequence[Measurement]) -> Iterator[Measurement]:
    """Sums of the three responses; none where a ventilated patient could not speak."""
    modes = [m.time for m in measurements if m.measure == "ventilator_mode"]
    by_time: dict[datetime, dict[str, float]] = {}
    for m in measurements:
        if m.measure.endswith(("_opening", "_response")) and m.value is not None:
            by_time.setdefault(m.time, {})[m.measure] = m.value
    for time, scores in by_time.items():
        tube = any(time - _MODE_COUNTS <= mode <= time for mode in modes)
        if len(scores) == 3 and not (tube and scores["verbal_response"] == _SILENT):
            yield Measurement(time, "coma_scale", sum(scores.values()))
