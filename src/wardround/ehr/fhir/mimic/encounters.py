"""Stays in the hospital, its emergency department and its intensive care; its care units."""

from typing import Any

from wardround.core.packaged_data import read_rows
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    HL7,
    ITEMS,
    SNOMED,
    Element,
    category,
    coding,
    concept,
    element,
    identifier,
    period,
)
from wardround.ehr.fhir.mimic.kinds import (
    CONDITION,
    ENCOUNTER,
    ENCOUNTER_ED,
    ENCOUNTER_ICU,
    LOCATION,
    ORGANIZATION,
    PATIENT,
    PROCEDURE,
    PROCEDURE_ICU,
)
from wardround.ehr.fhir.mimic.patients import HOSPITAL
from wardround.ehr.fhir.mimic.zone import Zone

_STATUS = {"Paused": "on-hold", "Stopped": "stopped"}

_DIAGNOSES = """
SELECT subject_id, hadm_id, seq_num, trim(icd_code) AS icd_code, icd_version, long_title
FROM diagnoses_icd LEFT JOIN d_icd_diagnoses USING (icd_code, icd_version)
"""
_PROCEDURES = """
SELECT subject_id, hadm_id, seq_num, trim(icd_code) AS icd_code, icd_version, long_title, chartdate
FROM procedures_icd LEFT JOIN d_icd_procedures USING (icd_code, icd_version)
"""
_ICU_PROCEDURES = """
SELECT subject_id, stay_id, orderid, itemid, label, starttime, endtime, location,
    ordercategoryname, statusdescription
FROM procedureevents LEFT JOIN d_items USING (itemid)
"""

_ADMISSION_TYPES = {
    type: ((code, display), priority)
    for type, code, display, *priority in read_rows(__package__, "admission_types.tsv")
}
_ENCOUNTER = [concept(SNOMED, "308335008", "Patient encounter procedure")]

_LOCATIONS = "SELECT DISTINCT careunit FROM transfers WHERE careunit IS NOT NULL ORDER BY careunit"
_ADMISSIONS = """
WITH places AS (
    SELECT hadm_id, list({careunit: careunit, intime: intime, outtime: outtime}
        ORDER BY intime, transfer_id) AS places
    FROM transfers WHERE careunit IS NOT NULL GROUP BY hadm_id
), procedures AS (
    SELECT hadm_id, list({code: hcpcs_cd, title: short_description} ORDER BY place DESC)
        AS procedures
    FROM hcpcs_event WHERE hcpcs_cd IS NOT NULL GROUP BY hadm_id
), services AS (
    SELECT hadm_id, arg_min(curr_service, transfertime) AS service FROM services GROUP BY hadm_id
)
SELECT subject_id, hadm_id, admittime, dischtime, admission_type, admission_location,
    discharge_location, places, procedures, service
FROM admissions LEFT JOIN places USING (hadm_id) LEFT JOIN procedures USING (hadm_id)
    LEFT JOIN services USING (hadm_id)
ORDER BY subject_id, hadm_id
"""
# The stay in the emergency department has the transfer's id.
_EMERGENCIES = """
SELECT subject_id, hadm_id, transfer_id AS stay_id, intime, outtime
FROM transfers WHERE eventtype = 'ED' ORDER BY subject_id, transfer_id
"""
_ICU_STAYS = """
WITH first AS (
    SELECT stay_id, min(tr.intime) AS intime, max(tr.outtime) AS outtime
    FROM icustays icu JOIN transfers tr ON tr.hadm_id = icu.hadm_id
        AND tr.careunit = first_careunit AND tr.intime >= icu.intime AND tr.outtime <= icu.outtime
    GROUP BY stay_id
), last AS (
    SELECT stay_id, min(tr.intime) AS intime, max(tr.outtime) AS outtime
    FROM icustays icu JOIN transfers tr ON tr.hadm_id = icu.hadm_id
        AND tr.careunit = last_careunit AND tr.intime >= icu.intime AND tr.outtime <= icu.outtime
    GROUP BY stay_id
)
SELECT subject_id, hadm_id, stay_id, icu.intime, icu.outtime,
    first_careunit, first.intime AS first_in, first.outtime AS first_out,
    last_careunit, last.intime AS last_in, last.outtime AS last_out
FROM icustays icu LEFT JOIN first USING (stay_id) LEFT JOIN last USING (stay_id)
ORDER BY subject_id, stay_id
"""


def _location(row: Any, zone: Zone) -> Resource:
    return LOCATION.resource(
        row.careunit,
        status="active",
        name=row.careunit,
        physicalType=concept(HL7 + "location-physical-type", "wa", "Ward"),
        managingOrganization=ORGANIZATION.reference(HOSPITAL),
    )


def _admission(row: Any, zone: Zone) -> Resource:
    kind, priority = _ADMISSION_TYPES.get(row.admission_type, (("IMP", "inpatient encounter"), ()))
    elements = {
        "class": coding(HL7 + "v3-ActCode", *kind),
        "type": _procedures(row.procedures) or _ENCOUNTER,
        "serviceType": concept(CODES + "services", row.service),
        "priority": concept(HL7 + "v3-ActPriority", *priority) if priority else None,
        "period": period(row.admittime, row.dischtime, zone),
        "hospitalization": element(
            admitSource=concept(CODES + "admit-source", row.admission_location),
            dischargeDisposition=concept(CODES + "discharge-disposition", row.discharge_location),
        ),
        "location": [_unit_stay(**stay, zone=zone) for stay in row.places or ()] or None,
    }
    return ENCOUNTER.resource(
        row.hadm_id,
        identifier=_visit_number("encounter-hosp", row.hadm_id),
        status="finished",
        subject=PATIENT.reference(row.subject_id),
        serviceProvider=ORGANIZATION.reference(HOSPITAL),
        **elements,
    )


def _procedures(procedures: list[dict[str, str]] | None) -> list[Element | None]:
    system = CODES + "hcpcs-cd"
    return [concept(system, each["code"], each["title"]) for each in procedures or ()]


def _emergency(row: Any, zone: Zone) -> Resource:
    elements = {
        "class": coding(HL7 + "v3-ActCode", "EMER", "emergency"),
        "period": period(row.intime, row.outtime, zone),
    }
    return ENCOUNTER_ED.resource(
        row.stay_id,
        identifier=_visit_number("encounter-ed", row.stay_id),
        status="finished",
        type=_ENCOUNTER,
        subject=PATIENT.reference(row.subject_id),
        serviceProvider=ORGANIZATION.reference(HOSPITAL),
        partOf=ENCOUNTER.reference(row.hadm_id),
        **elements,
    )


def _icu_stay(row: Any, zone: Zone) -> Resource:
    places = [_unit_stay(row.first_careunit, row.first_in, row.first_out, zone)]
    if row.last_careunit != row.first_careunit:
        places.append(_unit_stay(row.last_careunit, row.last_in, row.last_out, zone))
    elements = {
        "class": coding(HL7 + "v3-ActCode", "ACUTE"),
        "period": period(row.intime, row.outtime, zone),
    }
    return ENCOUNTER_ICU.resource(
        row.stay_id,
        identifier=identifier("encounter-icu", row.stay_id),
        status="finished",
        type=_ENCOUNTER,
        subject=PATIENT.reference(row.subject_id),
        location=places,
        partOf=ENCOUNTER.reference(row.hadm_id),
        **elements,
    )


def _visit_number(name: str, number: int) -> list[Element]:
    return identifier(name, number, use="usual", assigner=ORGANIZATION.reference(HOSPITAL))


def _unit_stay(careunit: str, intime: Any, outtime: Any, zone: Zone) -> Element | None:
    return element(location=LOCATION.reference(careunit), period=period(intime, outtime, zone))


ENCOUNTERS = (
    Conversion("Location", ("transfers",), _LOCATIONS, _location),
    Conversion("Encounter", ("admissions",), _ADMISSIONS, _admission),
    Conversion("EncounterED", ("transfers",), _EMERGENCIES, _emergency),
    Conversion("EncounterICU", ("icustays",), _ICU_STAYS, _icu_stay),
)


def _condition(row: Any, zone: Zone) -> Resource:
    return CONDITION.resource(
        f"{row.hadm_id}-{row.seq_num}-{row.icd_code.upper()}",
        category=category(HL7 + "condition-category", "encounter-diagnosis", "Encounter Diagnosis"),
        code=concept(f"{CODES}diagnosis-icd{row.icd_version}", row.icd_code, row.long_title),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
    )


def _procedure(row: Any, zone: Zone) -> Resource:
    return PROCEDURE.resource(
        f"{row.hadm_id}-{row.seq_num}-{row.icd_code.upper()}",
        status="completed",
        code=concept(f"{CODES}procedure-icd{row.icd_version}", row.icd_code, row.long_title),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        performedDateTime=zone.instant(row.chartdate),
    )


def _icu_procedure(row: Any, zone: Zone) -> Resource:
    site = concept(CODES + "bodysite", row.location)
    return PROCEDURE_ICU.resource(
        f"{row.stay_id}-{row.orderid}-{row.itemid}",
        status=_STATUS.get(row.statusdescription, "completed"),
        category=concept(CODES + "procedure-category", row.ordercategoryname),
        code=concept(ITEMS, row.itemid, row.label),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER_ICU.reference(row.stay_id),
        performedPeriod=period(row.starttime, row.endtime, zone),
        bodySite=[site] if site else None,
    )


DIAGNOSES = (
    Conversion("Condition", ("diagnoses_icd",), _DIAGNOSES, _condition),
    Conversion("Procedure", ("procedures_icd",), _PROCEDURES, _procedure),
    Conversion("ProcedureICU", ("procedureevents",), _ICU_PROCEDURES, _icu_procedure),
)
