"""Billed diagnoses and procedures, and procedures of intensive care."""

from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    HL7,
    ITEMS,
    category,
    concept,
    period,
)
from wardround.ehr.fhir.mimic.kinds import (
    CONDITION,
    ENCOUNTER,
    ENCOUNTER_ICU,
    PATIENT,
    PROCEDURE,
    PROCEDURE_ICU,
)
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
