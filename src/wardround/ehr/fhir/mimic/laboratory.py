"""Laboratory results and their specimens."""

import re
from functools import cache
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    HL7,
    LAB_ITEMS,
    LOINC,
    MIMIC,
    Element,
    category,
    coding,
    concept,
    element,
    identifier,
    quantity,
    text,
)
from wardround.ehr.fhir.mimic.kinds import ENCOUNTER, LABORATORY, PATIENT, SPECIMEN_LAB
from wardround.ehr.fhir.mimic.zone import Zone
from wardround.ehr.terms.dictionaries import dictionary

_PRIORITY = MIMIC + "StructureDefinition/mimic-lab-priority"
_COMPARED = re.compile(r"\s*(<=|>=|<|>|LESS THAN|GREATER THAN)\s*([\d.]*)\s*", re.ASCII)
_COMPARATORS = {"LESS THAN": "<", "GREATER THAN": ">"}
# Words in a comment that give a result's status.
_STATUSES = (("error", "entered-in-error"), ("corrected", "corrected"), ("cancel", "cancelled"))

_RESULTS = """
SELECT labevent_id, subject_id, hadm_id, specimen_id, itemid, label, charttime, storetime, value,
    valuenum, valueuom, ref_range_lower, ref_range_upper, flag, priority, comments
FROM labevents LEFT JOIN d_labitems USING (itemid)
"""
_SPECIMENS = """
SELECT specimen_id, min(subject_id) AS subject_id, min(charttime) AS charttime, min(fluid) AS fluid
FROM labevents LEFT JOIN d_labitems USING (itemid)
WHERE specimen_id IS NOT NULL GROUP BY specimen_id ORDER BY specimen_id
"""


def _result(row: Any, zone: Zone) -> Resource:
    comments = text(row.comments)
    return LABORATORY.resource(
        row.labevent_id,
        extension=_priority(text(row.priority)),
        identifier=identifier("observation-labevents", row.labevent_id),
        status=result_status(comments or ""),
        category=category(HL7 + "observation-category", "laboratory", "Laboratory"),
        code=_code(row.itemid, row.label),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        effectiveDateTime=zone.instant(row.charttime),
        issued=zone.instant(row.storetime),
        interpretation=_interpretation(row.flag),
        note=[{"text": comments}] if comments else None,
        specimen=SPECIMEN_LAB.reference(row.specimen_id),
        referenceRange=_range(row),
        **_value(row, comments),
    )


@cache
def _code(itemid: int, label: str | None) -> Element | None:
    code = concept(LAB_ITEMS, itemid, label)
    loinc = _loinc().get(str(itemid))
    if code and loinc:
        code["coding"].append(coding(LOINC, loinc))
    return code


@cache
def _loinc() -> dict[str, str]:
    return {row["itemid"]: row["loinc"] for row in dictionary("loinc")}


def result_status(comments: str) -> str:
    """The status that a comment gives a result."""
    words = comments.lower()
    return next((status for word, status in _STATUSES if word in words), "final")


def _value(row: Any, comments: str | None) -> Element:
    """The value as a quantity, as a text, or the reason of its absence."""
    compared = _COMPARED.match(row.value or "")
    number = result_number(row.valuenum, row.value or "")
    if number is not None:
        word = compared.group(1) if compared else None
        comparator = _COMPARATORS.get(word or "", word)
        return {"valueQuantity": quantity(number, row.valueuom, comparator=comparator)}
    words = text(row.value) or comments
    if words:
        return {"valueString": words}
    return {"dataAbsentReason": concept(HL7 + "data-absent-reason", "unknown")}


def result_number(number: float | None, value: str) -> float | str | None:
    """MIMIC's number, else that of a text such as `<=0.5`."""
    compared = _COMPARED.match(value)
    if number is not None or not compared or compared.end() < len(value):
        return number
    return compared.group(2) if re.fullmatch(r"\d+\.?\d*|\.\d+", compared.group(2)) else None


def _interpretation(flag: str | None) -> list[Element] | None:
    abnormal = flag in ("abnormal", "A")
    return category(HL7 + "v3-ObservationInterpretation", "A", "Abnormal") if abnormal else None


def _range(row: Any) -> list[Element] | None:
    limits = element(
        low=quantity(row.ref_range_lower, row.valueuom),
        high=quantity(row.ref_range_upper, row.valueuom),
    )
    return [limits] if limits else None


def _priority(priority: str | None) -> list[Element] | None:
    return [{"url": _PRIORITY, "valueString": priority}] if priority else None


def _specimen(row: Any, zone: Zone) -> Resource:
    return SPECIMEN_LAB.resource(
        row.specimen_id,
        identifier=identifier("specimen-lab", row.specimen_id),
        type=concept(CODES + "lab-fluid", row.fluid),
        subject=PATIENT.reference(row.subject_id),
        collection=element(collectedDateTime=zone.instant(row.charttime)),
    )


LABORATORY_RESULTS = (
    Conversion("SpecimenLab", ("labevents",), _SPECIMENS, _specimen),
    Conversion("ObservationLabevents", ("labevents",), _RESULTS, _result),
)
