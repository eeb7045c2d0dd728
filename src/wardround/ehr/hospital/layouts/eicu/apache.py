"""eICU's APACHE tables: the first day's worst values, and predictions from them.

The score is APACHE III's. A curve of the score (data/forms/apache.toml) replaces the equations of
APACHE IV, since their coefficients are only partly published.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from math import exp

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.layouts.eicu.care import specialty
from wardround.ehr.hospital.layouts.eicu.charting import (
    ARTERY,
    BREATHS,
    CUFF,
    EYES,
    MOTOR,
    RATE,
    TEMPERATURE,
    VERBAL,
)
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay, unit_row
from wardround.ehr.hospital.layouts.layout import TableRow, Value
from wardround.ehr.hospital.layouts.reasons import reason_of
from wardround.ehr.hospital.stays import Span, hours_between

_UNKNOWN = -1.0
# The worst value is the one furthest from these.
_USUAL = {
    "heart_rate": 75,
    "mean_pressure": 90,
    "temperature": 37,
    "respiration": 19,
    "hematocrit": 45,
    "white_blood_cells": 11,
    "creatinine": 1,
    "urea_nitrogen": 12,
    "sodium": 145,
    "albumin": 4,
    "bilirubin_total": 0.6,
    "glucose": 130,
    "arterial_ph": 7.4,
    "po2": 95,
    "pco2": 40,
    "eyes": 4,
    "motor": 6,
    "verbal": 5,
    "oxygen_share": 21,
}
_ITEMS = {
    RATE: "heart_rate",
    BREATHS: "respiration",
    TEMPERATURE: "temperature",
    ARTERY[2]: "mean_pressure",
    CUFF[2]: "mean_pressure",
    EYES: "eyes",
    MOTOR: "motor",
    VERBAL: "verbal",
    223835: "oxygen_share",
}
# The measurement of each column of worst values.
_WORST = {
    "wbc": "white_blood_cells",
    "temperature": "temperature",
    "respiratoryrate": "respiration",
    "sodium": "sodium",
    "heartrate": "heart_rate",
    "meanbp": "mean_pressure",
    "ph": "arterial_ph",
    "hematocrit": "hematocrit",
    "creatinine": "creatinine",
    "albumin": "albumin",
    "pao2": "po2",
    "pco2": "pco2",
    "bun": "urea_nitrogen",
    "glucose": "glucose",
    "bilirubin": "bilirubin_total",
    "fio2": "oxygen_share",
}
_REGIONS = {"Midwest": 3, "South": 2, "West": 4, "Northeast": 1}
_ADMITTED = {
    "Emergency Department": 8,
    "Operating Room": 1,
    "Floor": 3,
    "Other Hospital": 5,
    "PACU": 2,
}
_LEFT = {"home": 4, "home health care": 4, "skilled nursing facility": 7, "rehab": 6, "died": 9}


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """Values, predictors and predictions of the first ICU stay of a hospital stay."""
    if unit.episode:
        return
    worst = worst_values(unit)
    yield _values(unit, worst)
    yield _predictors(unit, worst)
    if not unit.visit.stay.open:
        for version in ("IV", "IVa"):
            yield _result(unit, worst, version)


def worst_values(unit: UnitStay) -> dict[str, float]:
    """The first day's worst value of each measured sign and test."""
    day = Span(unit.span.start - timedelta(hours=2), unit.span.start + timedelta(days=1))
    worst: dict[str, float] = {}
    for name, value in _measurements(unit, day):
        if name not in worst or abs(value - _USUAL[name]) > abs(worst[name] - _USUAL[name]):
            worst[name] = value
    return worst


def physiology_score(worst: Mapping[str, float]) -> int:
    """The Acute Physiology Score; missing values count as normal."""
    points = toml("forms/apache")["points"]
    return sum(_points(points[name], value) for name, value in worst.items() if name in points)


def _measurements(unit: UnitStay, day: Span) -> Iterator[tuple[str, float]]:
    for result in unit.visit.results:
        if result.lab.name in _USUAL and day.holds(result.time):
            yield result.lab.name, result.value
    for reading in (*unit.visit.readings, *unit.visit.observations):
        if reading.item in _ITEMS and reading.value is not None and day.holds(reading.time):
            yield _ITEMS[reading.item], reading.value


def _points(steps: list[list[float]], value: float) -> int:
    return int(next(points for limit, points in steps if value < limit))


def _ventilated(unit: UnitStay) -> bool:
    day = unit.span.start + timedelta(days=1)
    return any(
        device.kind == "ventilation" and device.episode == unit.episode and device.start < day
        for device in unit.visit.devices
    )


def _values(unit: UnitStay, worst: Mapping[str, float]) -> TableRow:
    breathes = int(_ventilated(unit))
    urine = sum(item.volume for item in unit.visit.output if 0 <= unit.offset(item.time) < 24 * 60)
    eyes, motor, verbal = _coma(worst)
    columns: dict[str, Value] = {
        "intubated": breathes,
        "vent": breathes,
        "dialysis": int(unit.visit.stay.has("dialysis")),
        "eyes": eyes,
        "motor": motor,
        "verbal": verbal,
        "meds": 0,
        "urine": float(urine or _UNKNOWN),
        **{column: float(worst.get(name, _UNKNOWN)) for column, name in _WORST.items()},
    }
    return unit_row("apacheapsvar", columns)


def _coma(worst: Mapping[str, float]) -> tuple[int, int, int]:
    return int(worst.get("eyes", 4)), int(worst.get("motor", 6)), int(worst.get("verbal", 5))


def _predictors(unit: UnitStay, worst: Mapping[str, float]) -> TableRow:
    stay = unit.visit.stay
    eyes, motor, verbal = _coma(worst)
    from_theatre = stay.operation is not None and stay.operation <= unit.span.start
    source = "Operating Room" if from_theatre else "Emergency Department"
    before = hours_between(stay.admitted, unit.span.start) / 24
    oxygen = float(worst.get("po2", _UNKNOWN))
    oxygen_share = float(worst.get("oxygen_share", _UNKNOWN))
    machine = int(_ventilated(unit))
    columns: dict[str, Value] = {
        "sicuday": 1,
        "saps3day1": 0,
        "saps3today": 0,
        "saps3yesterday": 0,
        "gender": int(stay.person.female),
        "teachtype": int(unit.hospital.teaching == "True"),
        "region": _REGIONS[unit.hospital.region],
        "bedcount": 12,
        "admitsource": _ADMITTED[source],
        "graftcount": 3,
        "meds": 0,
        "verbal": verbal,
        "motor": motor,
        "eyes": eyes,
        "age": stay.age,
        "admitdiagnosis": reason_of(stay).apache_code,
        "thrombolytics": 0,
        "diedinhospital": int(stay.died),
        "aids": int(stay.has("hiv")),
        "hepaticfailure": int(stay.has("liver_failure")),
        "lymphoma": 0,
        "metastaticcancer": int(stay.has("liver_metastasis") or stay.has("bone_metastasis")),
        "leukemia": 0,
        "immunosuppression": int(stay.has("neutropenic_fever") or stay.has("chemotherapy")),
        "cirrhosis": int(stay.has("cirrhosis")),
        "electivesurgery": int(stay.reason.theatre and stay.reason.entry == "surgery"),
        "activetx": machine,
        "readmit": 0,
        "ima": 0,
        "midur": 0,
        "ventday1": machine,
        "oobventday1": machine,
        "oobintubday1": machine,
        "diabetes": int(stay.has("diabetes_1") or stay.has("diabetes_2")),
        "managementsystem": 1,
        "var03hspxlos": round(before, 4),
        "pao2": oxygen,
        "fio2": oxygen_share,
        "ejectfx": _UNKNOWN,
        "creatinine": float(worst.get("creatinine", _UNKNOWN)),
        "dischargelocation": _LEFT.get(unit.visit.demographics.destination or "", 8),
        "visitnumber": unit.episode + 1,
        "amilocation": -1,
        "day1meds": 0,
        "day1verbal": verbal,
        "day1motor": motor,
        "day1eyes": eyes,
        "day1pao2": oxygen,
        "day1fio2": oxygen_share,
    }
    return unit_row("apachepredvar", columns)


def _result(unit: UnitStay, worst: Mapping[str, float], version: str) -> TableRow:
    stay = unit.visit.stay
    acute = physiology_score(worst)
    score = acute + _points(toml("forms/apache")["points"]["age"], stay.age)
    risk = _risk(score)
    days = round(unit.span.hours / 24, 4)
    hospital = round(stay.hours / 24, 4)
    hours = sum(
        hours_between(item.start, item.end)
        for item in unit.visit.devices
        if item.kind == "ventilation" and item.episode == unit.episode
    )
    breathed = round(hours / 24, 4) if hours else None
    died_here = stay.died and unit.span.end >= stay.end
    columns: dict[str, Value] = {
        "physicianspeciality": specialty(unit),
        "physicianinterventioncategory": "Unknown",
        "acutephysiologyscore": acute,
        "apachescore": score,
        "apacheversion": version,
        "predictedicumortality": f"{0.6 * risk:.6f}",
        "actualicumortality": "EXPIRED" if died_here else "ALIVE",
        "predictediculos": round(1.5 + 0.04 * score, 4),
        "actualiculos": min(30.0, days),
        "predictedhospitalmortality": f"{risk:.6f}",
        "actualhospitalmortality": "EXPIRED" if stay.died else "ALIVE",
        "predictedhospitallos": round(4 + 0.09 * score, 4),
        "actualhospitallos": min(50.0, hospital),
        "preopmi": 0,
        "preopcardiaccath": 0,
        "ptcawithin24h": 0,
        "unabridgedunitlos": days,
        "unabridgedhosplos": hospital,
        "actualventdays": min(30.0, breathed) if breathed else None,
        "predventdays": round(1 + 0.03 * score, 4) if hours else None,
        "unabridgedactualventdays": breathed,
    }
    return unit_row("apachepatientresult", columns)


def _risk(score: int) -> float:
    facts = toml("forms/apache")["mortality"]
    return 1 / (1 + exp(-(facts["constant"] + facts["slope"] * score)))
