"""Medications given on wards and in intensive care."""

import re
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    HL7,
    Element,
    concept,
    element,
    period,
    quantity,
)
from wardround.ehr.fhir.mimic.kinds import (
    ADMINISTRATION,
    ADMINISTRATION_ICU,
    ENCOUNTER,
    ENCOUNTER_ICU,
    PATIENT,
    REQUEST,
)
from wardround.ehr.fhir.mimic.zone import Zone

_NUMBER = re.compile(r"\d+\.?\d*|\.\d+", re.ASCII)
# Entries in place of a dose when the product's amount is the dose.
_WHOLE_PRODUCT = ("N", "INI")

# Events of doses that were due and not given.
_WITHHELD = re.compile(
    r"(?:Delayed )?Not (?:Given|Administered|Applied|Started|Restarted|Infused|Flushed)\b.*"
    r"|Hold Dose.*"
)

# Rows with an ordinal are doses; the one without sums up what was due, and is all there is of most
# events without a dose.
_DOSES = """
WITH doses AS (
    SELECT emar_id, parent_field_ordinal, max(site) AS site, max(route) AS route,
        max(dose_given) AS dose, max(dose_given_unit) AS unit,
        max(product_amount_given) AS amount, max(product_unit) AS product_unit,
        max(infusion_rate) AS rate, max(infusion_rate_unit) AS rate_unit,
        max(product_code) AS product, max(pharmacy_id) AS pharmacy_id
    FROM emar_detail WHERE parent_field_ordinal IS NOT NULL
    GROUP BY emar_id, parent_field_ordinal
), recorded AS (
    SELECT * FROM doses UNION ALL BY NAME
    SELECT emar_id FROM emar
    WHERE event_txt IS NOT NULL AND emar_id NOT IN (SELECT emar_id FROM doses)
), prescribed AS (
    SELECT DISTINCT pharmacy_id FROM prescriptions
)
SELECT recorded.*, emar.subject_id, emar.hadm_id, charttime, event_txt, medication, order_type,
    coalesce(CAST(given.pharmacy_id AS VARCHAR), CAST(due.pharmacy_id AS VARCHAR), poe.poe_id)
        AS request
FROM recorded JOIN emar USING (emar_id) LEFT JOIN poe USING (poe_id)
    LEFT JOIN prescribed given ON given.pharmacy_id = recorded.pharmacy_id
    LEFT JOIN prescribed due ON due.pharmacy_id = emar.pharmacy_id
WHERE given.pharmacy_id IS NOT NULL OR medication IS NOT NULL
    OR order_type IN ('TPN', 'IV therapy')
ORDER BY emar.subject_id, emar.emar_seq, parent_field_ordinal
"""
_INFUSIONS = """
SELECT subject_id, stay_id, orderid, itemid, label, starttime, endtime, amount, amountuom, rate,
    rateuom, ordercategoryname, ordercategorydescription
FROM inputevents LEFT JOIN d_items USING (itemid)
"""


def is_withheld(event: str | None) -> bool:
    """True for the event of a dose that was due and not given.

    >>> is_withheld("Not Given per Sliding Scale"), is_withheld("Hold Dose"), is_withheld("Stopped")
    (True, True, False)
    """
    return _WITHHELD.fullmatch(event or "") is not None


def _rows(row: Any) -> tuple[Any, ...]:
    """The row of a dose, given or withheld; other events without a dose are not administrations."""
    return (row,) if row.parent_field_ordinal or is_withheld(row.event_txt) else ()


def _administration(row: Any, zone: Zone) -> Resource:
    """A dose; one that was withheld is `not-done`, where MIMIC-IV on FHIR calls it completed."""
    withheld = is_withheld(row.event_txt)
    parts = (row.emar_id, row.parent_field_ordinal)
    return ADMINISTRATION.resource(
        "-".join(each for each in parts if each),
        status="not-done" if withheld else "completed",
        statusReason=[{"text": row.event_txt}] if withheld else None,
        medicationCodeableConcept=_medication(row),
        subject=PATIENT.reference(row.subject_id),
        context=ENCOUNTER.reference(row.hadm_id),
        effectiveDateTime=zone.instant(row.charttime),
        request=REQUEST.reference(row.request),
        dosage=_dosage(row),
    )


def _medication(row: Any) -> Element | None:
    therapy = row.order_type if row.order_type in ("TPN", "IV therapy") else None
    return (
        concept(CODES + "medication-formulary-drug-cd", row.product)
        or concept(CODES + "medication-name", row.medication)
        or concept(CODES + "medication-poe-iv", therapy)
        or concept(HL7 + "v3-NullFlavor", "UNK")
    )


def _dosage(row: Any) -> Element | None:
    dose, rate = _dose(row), _rate(row)
    if not dose and not rate:
        return None
    return element(
        text=_dose_text(row),
        site=concept(CODES + "medication-site", row.site),
        route=concept(CODES + "medication-route", row.route),
        method=concept(CODES + "medication-method", row.event_txt),
        dose=dose,
        rateQuantity=rate,
    )


def _dose(row: Any) -> Element | None:
    if row.dose in _WHOLE_PRODUCT:
        return _measured(row.amount, row.product_unit)
    return _measured(row.dose, row.unit)


def _rate(row: Any) -> Element | None:
    return _measured(row.rate, row.rate_unit)


def _measured(value: str | None, unit: str | None) -> Element | None:
    return quantity(value, unit) if _NUMBER.fullmatch(value or "") else None


def _dose_text(row: Any) -> str | None:
    """MIMIC-IV on FHIR writes `1` for a number, and a dose in words in full."""
    if row.dose is None or row.dose in _WHOLE_PRODUCT:
        return None
    return "1" if _NUMBER.fullmatch(row.dose) else f"dose_given: {row.dose}{row.unit or ''}"


def _infusion(row: Any, zone: Zone) -> Resource:
    rate = quantity(row.rate, row.rateuom)
    return ADMINISTRATION_ICU.resource(
        f"{row.stay_id}-{row.orderid}-{row.itemid}",
        status="completed",
        category=concept(CODES + "medadmin-category-icu", row.ordercategoryname),
        medicationCodeableConcept=concept(CODES + "medication-icu", row.itemid, row.label),
        subject=PATIENT.reference(row.subject_id),
        context=ENCOUNTER_ICU.reference(row.stay_id),
        effectivePeriod=period(row.starttime, row.endtime, zone) if rate else None,
        effectiveDateTime=None if rate else zone.instant(row.endtime),
        dosage=element(
            method=concept(CODES + "medication-method-icu", row.ordercategorydescription),
            dose=quantity(row.amount, row.amountuom),
            rateQuantity=rate,
        ),
    )


ADMINISTRATIONS = (
    Conversion("MedicationAdministration", ("emar", "emar_detail"), _DOSES, _administration, _rows),
    Conversion("MedicationAdministrationICU", ("inputevents",), _INFUSIONS, _infusion),
)
