"""eICU's patient table."""

from datetime import datetime

from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay
from wardround.ehr.hospital.layouts.layout import TableRow, Value, named_row
from wardround.ehr.hospital.layouts.reasons import reason_of
from wardround.ehr.hospital.stays import NOW

_OLDEST = 89
_UNITS = {
    "medical": "MICU",
    "surgical": "SICU",
    "trauma": "SICU",
    "coronary": "Cardiac ICU",
    "cardiac": "CCU-CTICU",
    "cardiovascular": "CSICU",
    "neuro": "Neuro ICU",
}
_SOURCES = {
    "emergency room": "Emergency Department",
    "transfer from hospital": "Other Hospital",
    "pacu": "PACU",
    "procedure site": "Operating Room",
}
_DESTINATIONS = {
    "home": "Home",
    "home health care": "Home",
    "skilled nursing facility": "Skilled Nursing Facility",
    "rehab": "Rehabilitation",
    "chronic/long term acute care": "Other Hospital",
    "hospice": "Other External",
    "against advice": "Home",
    "psych facility": "Other External",
    "died": "Death",
}
_ETHNICITIES = {
    "WHITE": "Caucasian",
    "BLACK": "African American",
    "HISPANIC": "Hispanic",
    "ASIAN": "Asian",
    "AMERICAN INDIAN": "Native American",
}


def row(unit: UnitStay) -> TableRow:
    """The row of a unit stay."""
    stay, reason = unit.visit.stay, reason_of(unit.visit.stay)
    person, destination = stay.person, unit.visit.demographics.destination
    source, hospital_source = (
        unit_source(unit),
        _SOURCES.get(unit.visit.demographics.source, "Direct Admit"),
    )
    died_here = stay.died and unit.last and unit.span.end >= stay.end
    columns: dict[str, Value] = {
        "patientunitstayid": unit.id,
        "patienthealthsystemstayid": stay.hadm_id,
        "gender": "Female" if person.female else "Male",
        "age": str(stay.age) if stay.age <= _OLDEST else "> 89",
        "ethnicity": _ethnicity(person.race),
        "hospitalid": unit.hospital.id,
        "wardid": unit.hospital.id * 4 + len(stay.reason.unit) % 4,
        "apacheadmissiondx": reason.apache,
        "admissionheight": float(person.height),
        "hospitaladmittime24": _clock(stay.admitted),
        "hospitaladmitoffset": unit.offset(stay.admitted),
        "hospitaladmitsource": hospital_source,
        "hospitaldischargeyear": 2014 + stay.person.index % 2,
        "hospitaldischargetime24": None if stay.open else _clock(stay.end),
        "hospitaldischargeoffset": None if stay.open else unit.offset(stay.end),
        "hospitaldischargelocation": _DESTINATIONS[destination] if destination else None,
        "hospitaldischargestatus": None if stay.open else "Expired" if stay.died else "Alive",
        "unittype": unit_type(unit),
        "unitadmittime24": _clock(unit.span.start),
        "unitadmitsource": source,
        "unitvisitnumber": unit.episode + 1,
        "unitstaytype": "readmit" if unit.episode else "admit",
        "admissionweight": round(person.weight, 1),
        "dischargeweight": round(person.weight + 0.8 * unit.draw("weight").normal(), 1),
        "unitdischargetime24": None if unit.open else _clock(unit.span.end),
        "unitdischargeoffset": None if unit.open else unit.offset(unit.span.end),
        "unitdischargelocation": None if unit.open else "Death" if died_here else _left_to(unit),
        "unitdischargestatus": None if unit.open else "Expired" if died_here else "Alive",
        "uniquepid": f"{unit.hospital.id % 1000:03d}-{person.subject_id}",
    }
    return named_row("eicu", "patient", columns)


def unit_type(unit: UnitStay) -> str:
    """The unit type; small hospitals have a single mixed unit."""
    small = unit.hospital.beds in ("<100", "100 - 249")
    return "Med-Surg ICU" if small else _UNITS[unit.visit.stay.reason.unit]


def unit_source(unit: UnitStay) -> str:
    """The source of admission to the unit."""
    stay = unit.visit.stay
    if unit.episode:
        return "Floor"
    if stay.operation and stay.operation <= unit.span.start:
        return "Operating Room"
    source = _SOURCES.get(unit.visit.demographics.source)
    soon = (unit.span.start - stay.admitted).total_seconds() < 6 * 3600
    return source if source and soon else "Floor"


def _left_to(unit: UnitStay) -> str:
    stay = unit.visit.stay
    if unit.span.end < min(stay.end, NOW):
        return unit.draw("left").weighted(
            {"Floor": 0.72, "Step-Down Unit (SDU)": 0.2, "Telemetry": 0.08}
        )
    return _DESTINATIONS.get(unit.visit.demographics.destination or "", "Home")


def _ethnicity(race: str) -> str:
    for begins, ethnicity in _ETHNICITIES.items():
        if race.startswith(begins):
            return ethnicity
    return "Other/Unknown"


def _clock(time: datetime) -> str:
    return f"{time:%H:%M:%S}"
