"""Charted events of intensive care, and measurements of outpatient visits.

MIMIC-IV on FHIR has no resources of the latter; their ids and form are of this project.
"""

import re
from functools import cache
from typing import Any

from wardround.core.packaged_data import read_rows
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CHART_ITEMS,
    CODES,
    HL7,
    ITEMS,
    LOINC,
    UCUM,
    Element,
    category,
    coding,
    concept,
    element,
    quantity,
    text,
)
from wardround.ehr.fhir.mimic.kinds import (
    CHARTED,
    CHARTED_TIME,
    ENCOUNTER_ICU,
    OUTPATIENT,
    OUTPUT,
    PATIENT,
)
from wardround.ehr.fhir.mimic.zone import Zone

_CATEGORIES = {"vital-signs": "Vital Signs", "exam": "Exam"}

_MEASUREMENTS = """
SELECT subject_id, stay_id, itemid, label, category, charttime, storetime, value, valuenum,
    valueuom, lownormalvalue, highnormalvalue
FROM chartevents LEFT JOIN d_items USING (itemid) WHERE value IS NOT NULL
"""
_OUTPUTS = """
SELECT subject_id, stay_id, itemid, label, category, charttime, storetime, value, valueuom
FROM outputevents LEFT JOIN d_items USING (itemid)
"""
_TIMES = """
SELECT subject_id, stay_id, itemid, label, category, charttime, storetime, value
FROM datetimeevents LEFT JOIN d_items USING (itemid)
"""

# LOINC code, its display and its category by item.
VITAL_SIGNS = {item: measured for item, *measured in read_rows(__package__, "vital_signs.tsv")}

_PRESSURES = re.compile(r"(\d+)/(\d+)")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_UNITS = {"BMI (kg/m2)": "kg/m2", "Height (Inches)": "[in_i]", "Weight (Lbs)": "[lb_av]"}

_OUTPATIENT_MEASUREMENTS = """
SELECT subject_id, chartdate, seq_num, result_name, result_value FROM omr
WHERE result_value IS NOT NULL
"""


def _measurement(row: Any, zone: Zone) -> Resource:
    number = quantity(row.valuenum, row.valueuom)
    return CHARTED.resource(
        f"{row.stay_id}-{row.charttime}-{row.itemid}-{row.value}",
        **_charted(row, CHART_ITEMS, zone),
        valueQuantity=number,
        valueString=None if number else text(row.value),
        referenceRange=_range(row),
    )


def _output(row: Any, zone: Zone) -> Resource:
    return OUTPUT.resource(
        f"{row.stay_id}-{row.charttime}-{row.itemid}",
        **_charted(row, ITEMS, zone),
        valueQuantity=quantity(row.value, row.valueuom),
    )


def _time(row: Any, zone: Zone) -> Resource:
    return CHARTED_TIME.resource(
        f"{row.stay_id}-{row.charttime}-{row.itemid}",
        **_charted(row, ITEMS, zone),
        valueDateTime=zone.instant(row.value),
    )


def _charted(row: Any, system: str, zone: Zone) -> Element:
    return {
        "status": "final",
        **_coded(system, row.itemid, row.label, row.category),
        "subject": PATIENT.reference(row.subject_id),
        "encounter": ENCOUNTER_ICU.reference(row.stay_id),
        "effectiveDateTime": zone.instant(row.charttime),
        "issued": zone.instant(row.storetime),
    }


@cache
def _coded(system: str, itemid: int, label: str | None, group: str | None) -> Element:
    """The categories and the code of an item, in that order."""
    code = concept(system, itemid, label)
    categories = category(CODES + "observation-category", group)
    measured = VITAL_SIGNS.get(str(itemid))
    if measured and code:
        loinc, display, name = measured
        code["coding"].append(coding(LOINC, loinc, display))
        categories = [*(categories or ()), standard_category(name)]
    return {"category": categories, "code": code}


def standard_category(name: str) -> Element:
    """HL7's category of an observation."""
    return {"coding": [coding(HL7 + "observation-category", name, _CATEGORIES[name])]}


def _range(row: Any) -> list[Element] | None:
    limits = element(
        low=quantity(row.lownormalvalue, row.valueuom),
        high=quantity(row.highnormalvalue, row.valueuom),
    )
    return [limits] if limits else None


CHARTING = (
    Conversion("ObservationChartevents", ("chartevents",), _MEASUREMENTS, _measurement),
    Conversion("ObservationOutputevents", ("outputevents",), _OUTPUTS, _output),
    Conversion("ObservationDatetimeevents", ("datetimeevents",), _TIMES, _time),
)


def _outpatient_measurement(row: Any, zone: Zone) -> Resource:
    """A measurement of a day at an unknown time."""
    loinc, display, name = VITAL_SIGNS.get(row.result_name, ("", "", ""))
    return OUTPATIENT.resource(
        f"{row.subject_id}-{row.chartdate}-{row.seq_num}-{row.result_name}",
        status="final",
        category=[standard_category(name)] if loinc else None,
        code={"coding": [coding(LOINC, loinc, display)], "text": row.result_name}
        if loinc
        else {"text": row.result_name},
        subject=PATIENT.reference(row.subject_id),
        effectiveDateTime=row.chartdate.isoformat(),
        **_value(row.result_name, row.result_value),
    )


def _value(name: str, value: str) -> Element:
    if pressures := _PRESSURES.fullmatch(value.strip()):
        systolic, diastolic = pressures.groups()
        return {"component": [_pressure("220050", systolic), _pressure("220051", diastolic)]}
    if _NUMBER.fullmatch(value.strip()):
        return {"valueQuantity": quantity(value, _UNITS.get(name), UCUM)}
    return {"valueString": text(value)}


def _pressure(item: str, value: str) -> Element:
    loinc, display, _ = VITAL_SIGNS[item]
    code = {"coding": [coding(LOINC, loinc, display)]}
    return {"code": code, "valueQuantity": quantity(value, "mm[Hg]", UCUM)}


OUTPATIENTS = (
    Conversion("ObservationOMR", ("omr",), _OUTPATIENT_MEASUREMENTS, _outpatient_measurement),
)
