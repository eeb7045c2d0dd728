"""eICU's vital sign tables: monitors every five minutes, cuffs, and charted values."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise

from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay
from wardround.ehr.hospital.layouts.layout import TableRow
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.vitals import Reading

# MIMIC-IV items by measurement.
RATE, BREATHS, SATURATION, TEMPERATURE = 220045, 220210, 220277, 223762
ARTERY = (220050, 220051, 220052)
CUFF = (220179, 220180, 220181)
EYES, VERBAL, MOTOR = 220739, 223900, 223901
SEDATION, PAIN, DEVICE, FLOW = 228096, 223791, 226732, 223834
_MONITORED = (SATURATION, RATE, BREATHS, *ARTERY)
_STEP = 5
_SIGNS = "Vital Signs"
_OTHER = "Other Vital Signs and Infusions"
_CHARTED = {
    RATE: (_SIGNS, "Heart Rate", "Heart Rate"),
    BREATHS: (_SIGNS, "Respiratory Rate", "Respiratory Rate"),
    SATURATION: (_SIGNS, "O2 Saturation", "O2 Saturation"),
    TEMPERATURE: (_SIGNS, "Temperature", "Temperature (C)"),
    CUFF[0]: (_SIGNS, "Non-Invasive BP", "Non-Invasive BP Systolic"),
    CUFF[1]: (_SIGNS, "Non-Invasive BP", "Non-Invasive BP Diastolic"),
    CUFF[2]: (_SIGNS, "Non-Invasive BP", "Non-Invasive BP Mean"),
    ARTERY[0]: (_SIGNS, "Invasive BP", "Invasive BP Systolic"),
    ARTERY[1]: (_SIGNS, "Invasive BP", "Invasive BP Diastolic"),
    ARTERY[2]: (_SIGNS, "Invasive BP", "Invasive BP Mean"),
    EYES: ("Scores", "Glasgow coma score", "Eyes"),
    VERBAL: ("Scores", "Glasgow coma score", "Verbal"),
    MOTOR: ("Scores", "Glasgow coma score", "Motor"),
    SEDATION: ("Scores", "Sedation Scale/Score/Goal", "Sedation Score"),
    PAIN: ("Scores", "Pain Score/Goal", "Pain Score"),
    DEVICE: (_OTHER, "O2 Admin Device", "O2 Admin Device"),
    FLOW: (_OTHER, "O2 L/%", "O2 L/%"),
}

Times = Mapping[datetime, Mapping[int, Reading]]


def by_time(visit: Visit, episode: int) -> Times:
    """Charted values of one ICU stay, by time and item."""
    charted: dict[datetime, dict[int, Reading]] = defaultdict(dict)
    for reading in (*visit.readings, *visit.observations):
        if reading.episode == episode:
            charted[reading.time][reading.item] = reading
    return {time: charted[time] for time in sorted(charted)}


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """Monitored, cuff and charted values."""
    times = by_time(unit.visit, unit.episode)
    yield from _monitored(unit, times)
    for time, readings in times.items():
        offset = unit.offset(time)
        pressures = [readings[item].value for item in CUFF if item in readings]
        if len(pressures) == len(CUFF):
            yield "vitalaperiodic", (offset, *pressures, *(None,) * 7)
        for item, reading in readings.items():
            if item in _CHARTED:
                yield "nursecharting", (offset, offset + 2, *_CHARTED[item], _value_text(reading))


def _value_text(reading: Reading) -> str:
    if reading.value is not None and reading.item != SEDATION:
        return f"{reading.value:g}"
    return reading.text or ""


def _monitored(unit: UnitStay, times: Times) -> Iterator[TableRow]:
    """Monitor values interpolated between charted ones, with noise."""
    wobble = unit.draw("monitor").uniform
    hours = [(time, readings) for time, readings in times.items() if RATE in readings]
    for (start, before), (end, after) in pairwise(hours):
        steps = int((end - start) / timedelta(minutes=_STEP))
        spans = [_span(before, after, item) for item in _MONITORED]
        offset = unit.offset(start)
        for step in range(steps):
            share = step / steps
            saturation, *pressures = (
                None if span is None else round(_between(*span, share) + 3 * wobble() - 1.5)
                for span in spans
            )
            full = None if saturation is None else min(100, saturation)
            signs = (full, *pressures[:2], None, None, *pressures[2:])
            yield "vitalperiodic", (offset + _STEP * step, None, *signs, *(None,) * 7)


def _span(
    before: Mapping[int, Reading], after: Mapping[int, Reading], item: int
) -> tuple[float, float] | None:
    if item not in before or item not in after:
        return None
    low, high = before[item].value, after[item].value
    return None if low is None or high is None else (low, high)


def _between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share
