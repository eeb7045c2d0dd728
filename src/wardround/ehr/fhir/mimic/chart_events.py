"""Charted events of intensive care: measurements and assessments, outputs, and dates."""

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
    Element,
    category,
    coding,
    concept,
    element,
    quantity,
    text,
)
from wardround.ehr.fhir.mimic.kinds import CHARTED, CHARTED_TIME, ENCOUNTER_ICU, OUTPUT, PATIENT
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
    code = concept(system, row.itemid, row.label)
    categories = category(CODES + "observation-category", row.category)
    measured = VITAL_SIGNS.get(str(row.itemid))
    if measured and code:
        loinc, display, name = measured
        code["coding"].append(coding(LOINC, loinc, display))
        categories = [*(categories or ()), standard_category(name)]
    return {
        "status": "final",
        "category": categories,
        "code": code,
        "subject": PATIENT.reference(row.subject_id),
        "encounter": ENCOUNTER_ICU.reference(row.stay_id),
        "effectiveDateTime": zone.instant(row.charttime),
        "issued": zone.instant(row.storetime),
    }


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
