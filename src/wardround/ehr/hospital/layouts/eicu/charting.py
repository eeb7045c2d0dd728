"""eICU's charts: fluids, vital signs (monitors, cuffs, nurses), airways and ventilators."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.eicu.unit_stay import UNIT_KEYS, UnitStay, unit_row
from wardround.ehr.hospital.layouts.layout import RowWriter, TableRow, Value
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.vitals import Reading

# MIMIC-IV items by measurement.
RATE, BREATHS, SATURATION, TEMPERATURE = 220045, 220210, 220277, 223762
ARTERY = (220050, 220051, 220052)
CUFF = (220179, 220180, 220181)
EYES, VERBAL, MOTOR = 220739, 223900, 223901
SEDATION, PAIN, DEVICE, FLOW = 228096, 223791, 226732, 223834
_MONITORED = (SATURATION, RATE, BREATHS, *ARTERY)
_MONITOR_ROW = RowWriter(
    "eicu",
    "vitalperiodic",
    "observationoffset",
    "sao2",
    "heartrate",
    "respiration",
    "systemicsystolic",
    "systemicdiastolic",
    "systemicmean",
    numbered_later=UNIT_KEYS,
)
_CUFF_ROW = RowWriter(
    "eicu",
    "vitalaperiodic",
    "observationoffset",
    "noninvasivesystolic",
    "noninvasivediastolic",
    "noninvasivemean",
    numbered_later=UNIT_KEYS,
)
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
_SETTINGS = "respFlowSettings"
_RESPIRATORY = {
    223835: (_SETTINGS, "FiO2"),
    220339: (_SETTINGS, "PEEP"),
    224684: (_SETTINGS, "Tidal Volume (set)"),
    FLOW: (_SETTINGS, "LPM O2"),
    DEVICE: ("respFlowCareData", "O2 Device"),
}
_VENTILATED = 220339
_FLUIDS = "flowsheet|Flowsheet Cell Labels|I&O|"

Times = Mapping[datetime, Mapping[int, Reading]]


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """All charted rows of a stay in the unit."""
    times = by_time(unit.visit, unit.episode)
    yield from _fluids(unit)
    yield from _vital_signs(unit, times)
    yield from _ventilations(unit)
    yield from _ventilator_settings(unit, times)


def by_time(visit: Visit, episode: int) -> Times:
    """Charted values of one ICU stay, by time and item."""
    charted: dict[datetime, dict[int, Reading]] = defaultdict(dict)
    for reading in (*visit.readings, *visit.observations):
        if reading.episode == episode:
            charted[reading.time][reading.item] = reading
    return {time: charted[time] for time in sorted(charted)}


def _fluids(unit: UnitStay) -> Iterator[TableRow]:
    """The person's weight, then each amount by time."""
    weight = unit.visit.stay.person.weight
    for label, value in (("kg", weight), ("lb", weight / 0.45359237)):
        name = f"Bodyweight ({label})"
        cell = (f"{_FLUIDS}Weight|{name}", name, round(value, 1), f"{value:.1f}")
        yield "intakeoutput", (0, 0.0, 0.0, 0.0, 0.0, 2, *cell)
    volumes = [(item, 1) for item in unit.visit.intake] + [(item, -1) for item in unit.visit.output]
    for volume, sign in sorted(volumes, key=lambda pair: (pair[0].time, pair[0].item)):
        if volume.episode == unit.episode:
            path = _fluid_paths()[volume.item]
            offset, amount = unit.offset(volume.time), volume.volume
            intake, output = (amount, 0.0) if sign > 0 else (0.0, amount)
            totals = (intake, output, 0.0, sign * amount)
            cell = (_FLUIDS + path, path.rsplit("|", 1)[-1], amount, f"{amount:g}")
            yield "intakeoutput", (offset, *totals, offset + 3, *cell)


@cache
def _fluid_paths() -> dict[int, str]:
    return {int(row["itemid"]): row["path"] for row in table("forms/eicu_fluids")}


def _vital_signs(unit: UnitStay, times: Times) -> Iterator[TableRow]:
    """Monitored, cuff and charted values."""
    yield from _monitored(unit, times)
    for time, readings in times.items():
        offset = unit.offset(time)
        pressures = [readings[item].value for item in CUFF if item in readings]
        if len(pressures) == len(CUFF):
            yield _CUFF_ROW(offset, *pressures)
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
            saturation, *others = (
                None if span is None else round(_between(*span, share) + 3 * wobble() - 1.5)
                for span in spans
            )
            full = None if saturation is None else min(100, saturation)
            yield _MONITOR_ROW(offset + _STEP * step, full, *others)


def _span(
    before: Mapping[int, Reading], after: Mapping[int, Reading], item: int
) -> tuple[float, float] | None:
    if item not in before or item not in after:
        return None
    low, high = before[item].value, after[item].value
    return None if low is None or high is None else (low, high)


def _between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share


def _ventilations(unit: UnitStay) -> Iterator[TableRow]:
    """A row for each ventilation period."""
    number = 0
    before = (0, 0)
    for device in unit.visit.devices:
        if device.kind == "ventilation" and device.episode == unit.episode:
            number += 1
            start, end = unit.offset(device.start), unit.offset(device.end)
            ventilation: dict[str, Value] = {
                "respcarestatusoffset": start,
                "currenthistoryseqnum": number,
                "airwaytype": "Oral ETT",
                "airwaysize": "7.5" if unit.visit.stay.person.female else "8.0",
                "airwayposition": "Center",
                "ventstartoffset": start,
                "ventendoffset": end,
                "priorventstartoffset": before[0],
                "priorventendoffset": before[1],
            }
            yield unit_row("respiratorycare", ventilation)
            before = (start, end)


def _ventilator_settings(unit: UnitStay, times: Times) -> Iterator[TableRow]:
    for time, readings in times.items():
        offset = unit.offset(time)
        for item, (category, label) in _RESPIRATORY.items():
            if item in readings:
                reading = readings[item]
                value = reading.text if reading.value is None else f"{reading.value:g}"
                yield "respiratorycharting", (offset, offset + 1, category, label, value)
        if _VENTILATED in readings and BREATHS in readings:
            value = f"{readings[BREATHS].value:g}"
            row = ("respFlowPtVentData", "Total RR", value)
            yield "respiratorycharting", (offset, offset + 1, *row)
