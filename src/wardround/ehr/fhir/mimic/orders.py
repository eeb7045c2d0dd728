"""Medications, orders of them, and what the pharmacy dispensed."""

import re
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    IDENTIFIER,
    UCUM,
    Element,
    coding,
    concept,
    element,
    identifier,
    number,
    period,
    quantity,
    text,
)
from wardround.ehr.fhir.mimic.kinds import DISPENSE, ENCOUNTER, MEDICATION, PATIENT, REQUEST
from wardround.ehr.fhir.mimic.zone import Zone

_STATUSES = {
    "Active": "active",
    "Discontinued": "completed",
    "Discontinued via patient discharge": "completed",
    "Expired": "stopped",
    "Inactive": "stopped",
    "Inactive (Due to a change order)": "stopped",
    "TPN Order (Acknowledged, Not Pumped)": "draft",
}
_DURATIONS = {"Hours": "h", "Days": "d", "Weeks": "wk", "Months": "mo"}
_NUMBER = re.compile(r"\d+\.?\d*|\.\d+", re.ASCII)
_NARRATIVE = (
    '<div xmlns="http://www.w3.org/1999/xhtml"><p><b>Temporary narrative for medication mix</b>'
    "</p></div>"
)
_SYSTEMS = tuple(CODES + "medication-" + name for name in ("ndc", "formulary-drug-cd", "name"))

_MEDICATIONS = "SELECT DISTINCT product, package, formulary, drug FROM product ORDER BY product"
_MIXES = """
SELECT DISTINCT products FROM prescription WHERE len(products) > 1 ORDER BY products
"""
_REQUESTS = """
SELECT pr.pharmacy_id, pr.subject_id, pr.hadm_id, pr.dose, pr.unit, pr.strength, pr.products,
    coalesce(ph.route, pr.route) AS route, coalesce(ph.starttime, pr.starttime) AS starttime,
    coalesce(ph.stoptime, pr.stoptime) AS stoptime, ph.status, ph.entertime, ph.frequency,
    ph.duration, ph.duration_interval, ph.one_hr_max
FROM prescription pr LEFT JOIN pharmacy ph USING (pharmacy_id)
ORDER BY pr.subject_id, pr.pharmacy_id
"""
# Orders given by the nursing record without a prescription.
_PROVIDER_ORDERS = """
SELECT poe_id, poe.subject_id, poe.hadm_id, ordertime, order_status, order_type,
    min(medication) AS medication
FROM emar JOIN poe USING (poe_id)
WHERE (medication IS NOT NULL OR order_type IN ('TPN', 'IV therapy'))
    AND (pharmacy_id IS NULL OR pharmacy_id NOT IN (SELECT pharmacy_id FROM prescriptions))
GROUP BY ALL ORDER BY poe.subject_id, poe_id
"""
_DISPENSES = """
SELECT subject_id, hadm_id, pharmacy_id, medication, route, frequency, duration,
    duration_interval, one_hr_max, pharmacy_id IN (SELECT pharmacy_id FROM prescriptions) AS ordered
FROM pharmacy WHERE medication IS NOT NULL
"""


def _medication(row: Any, zone: Zone) -> Resource:
    values = (row.package, row.formulary, row.drug)
    codes = [coding(s, v) for s, v in zip(_SYSTEMS, values, strict=True) if v]
    numbers = [{"system": code["system"], "value": code["code"]} for code in codes]
    return MEDICATION.resource(
        row.product,
        identifier=numbers,
        code=concept(codes[0]["system"], codes[0]["code"]),
        status="active",
    )


def _mix(row: Any, zone: Zone) -> Resource:
    return MEDICATION.resource(
        "_".join(row.products),
        text={"status": "generated", "div": _NARRATIVE},
        identifier=identifier("medication-mix", "_".join(row.products)),
        status="active",
        ingredient=[{"itemReference": MEDICATION.reference(each)} for each in row.products],
    )


def _request(row: Any, zone: Zone) -> Resource:
    valid = row.starttime and row.stoptime and row.starttime <= row.stoptime
    validity = period(row.starttime, row.stoptime, zone) if valid else None
    return REQUEST.resource(
        row.pharmacy_id,
        **_order("medication-request-phid", row.pharmacy_id, row.status),
        medicationReference=MEDICATION.reference("_".join(row.products)),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        authoredOn=zone.instant(row.entertime),
        dosageInstruction=_instruction(
            row,
            text=text(row.strength),
            # MIMIC-IV on FHIR leaves out frequencies without a duration here.
            timing=None if row.duration is None else _timing(row),
            doseAndRate=_dose(row),
        ),
        dispenseRequest=element(validityPeriod=validity),
    )


def _provider_order(row: Any, zone: Zone) -> Resource:
    return REQUEST.resource(
        row.poe_id,
        **_order("medication-request-poe", row.poe_id, row.order_status),
        medicationCodeableConcept=concept(CODES + "medication-name", row.medication)
        or concept(CODES + "medication-poe-iv", row.order_type),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        authoredOn=zone.instant(row.ordertime),
    )


def _order(name: str, key: object, status: str | None) -> Element:
    return {
        "identifier": [{"system": IDENTIFIER + name, "value": str(key)}],
        "status": _STATUSES.get(status or "", "unknown"),
        "intent": "order",
    }


def _dispense(row: Any, zone: Zone) -> Resource:
    return DISPENSE.resource(
        row.pharmacy_id,
        identifier=identifier("medication-dispense", row.pharmacy_id),
        status="completed",
        medicationCodeableConcept=concept(CODES + "medication-name", row.medication),
        subject=PATIENT.reference(row.subject_id),
        context=ENCOUNTER.reference(row.hadm_id),
        authorizingPrescription=[REQUEST.reference(row.pharmacy_id)] if row.ordered else None,
        dosageInstruction=_instruction(row, timing=_timing(row)),
    )


def _instruction(row: Any, **more: Any) -> list[Element] | None:
    instruction = element(
        route=concept(CODES + "medication-route", row.route),
        maxDosePerPeriod=_hourly_limit(row.one_hr_max),
        **more,
    )
    return [instruction] if instruction else None


def _dose(row: Any) -> list[Element] | None:
    dose = quantity(row.dose, row.unit) if _NUMBER.fullmatch(row.dose or "") else None
    return [{"doseQuantity": dose}] if dose else None


def _timing(row: Any) -> Element | None:
    code = concept(CODES + "medication-frequency", row.frequency)
    if not code:
        return None
    unit = _DURATIONS.get(row.duration_interval)
    duration = number(row.duration) if unit else None
    repeat = None if duration is None else {"duration": duration, "durationUnit": unit}
    return element(code=code, repeat=repeat)


def _hourly_limit(limit: str | None) -> Element | None:
    if not _NUMBER.fullmatch(limit or ""):
        return None
    hour = {"value": 1, "unit": "h", "system": UCUM}
    return {"numerator": {"value": number(limit)}, "denominator": hour}


ORDERS = (
    Conversion("Medication", ("prescriptions",), _MEDICATIONS, _medication),
    Conversion("MedicationMix", ("prescriptions",), _MIXES, _mix),
    Conversion("MedicationRequest", ("prescriptions",), _REQUESTS, _request),
    Conversion("MedicationRequest", ("poe", "emar"), _PROVIDER_ORDERS, _provider_order),
    Conversion("MedicationDispense", ("pharmacy",), _DISPENSES, _dispense),
)
