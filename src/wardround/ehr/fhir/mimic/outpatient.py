"""Blood pressure, weight, height and other measurements of outpatient visits.

MIMIC-IV on FHIR has no resources of them; ids and form are of this project.
"""

import re
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.chart_events import VITAL_SIGNS, standard_category
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import LOINC, UCUM, Element, coding, quantity, text
from wardround.ehr.fhir.mimic.kinds import OUTPATIENT, PATIENT
from wardround.ehr.fhir.mimic.zone import Zone

_PRESSURES = re.compile(r"(\d+)/(\d+)")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_UNITS = {"BMI (kg/m2)": "kg/m2", "Height (Inches)": "[in_i]", "Weight (Lbs)": "[lb_av]"}

_MEASUREMENTS = """
SELECT subject_id, chartdate, seq_num, result_name, result_value FROM omr
WHERE result_value IS NOT NULL
"""


def _measurement(row: Any, zone: Zone) -> Resource:
    """A measurement of a day, whose time is unknown."""
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


OUTPATIENTS = (Conversion("ObservationOMR", ("omr",), _MEASUREMENTS, _measurement),)
