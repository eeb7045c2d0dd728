"""Patients, and the hospital as their organization."""

from typing import Any

from wardround.core.packaged_data import read_rows
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import HL7, Element, coding, concept, identifier
from wardround.ehr.fhir.mimic.kinds import ORGANIZATION, PATIENT
from wardround.ehr.fhir.mimic.zone import Zone

_US_CORE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-"
_OMB = "urn:oid:2.16.840.1.113883.6.238"
_ETHNICITIES = {
    "yes": ("2135-2", "Hispanic or Latino"),
    "no": ("2186-5", "Not Hispanic or Latino"),
}
_RACES = {race: (code, display, latin) for race, code, display, latin in
          read_rows(__package__, "races.tsv")}  # fmt: skip
_GENDERS = {"F": "female", "M": "male"}
_MARITAL_STATUS = {"DIVORCED": "D", "MARRIED": "M", "SINGLE": "S", "WIDOWED": "W"}
_NPI = ("http://hl7.org/fhir/sid/us-npi", "1194052720")
HOSPITAL = "/".join(_NPI)

# A patient's latest admission has the details; the first transfer is at the anchor age.
_PATIENTS = """
WITH latest AS (
    SELECT subject_id, marital_status, race, language FROM admissions
    QUALIFY rank() OVER (PARTITION BY subject_id ORDER BY admittime DESC) = 1
), details AS (
    SELECT subject_id, min(marital_status) AS marital_status, min(race) AS race,
        min(language) AS language
    FROM latest GROUP BY subject_id
), arrivals AS (
    SELECT subject_id, min(intime) AS arrival FROM transfers GROUP BY subject_id
)
SELECT subject_id, gender, dod, marital_status, race, language,
    CAST(CAST(arrival AS DATE) - to_years(CAST(anchor_age AS INTEGER)) AS DATE) AS birth
FROM patients LEFT JOIN details USING (subject_id) LEFT JOIN arrivals USING (subject_id)
ORDER BY subject_id
"""


def _organization(row: Any, zone: Zone) -> Resource:
    system, number = _NPI
    return ORGANIZATION.resource(
        HOSPITAL,
        identifier=[{"system": system, "value": number}],
        active=True,
        type=[concept(HL7 + "organization-type", "prov", "Healthcare Provider")],
        name="Beth Israel Deaconess Medical Center",
    )


def _patient(row: Any, zone: Zone) -> Resource:
    return PATIENT.resource(
        row.subject_id,
        extension=_extensions(row),
        identifier=identifier("patient", row.subject_id),
        name=[{"use": "official", "family": f"Patient_{row.subject_id}"}],
        gender=_GENDERS.get(row.gender, "unknown"),
        birthDate=row.birth and row.birth.isoformat(),
        deceasedDateTime=row.dod and row.dod.isoformat(),
        maritalStatus=_marital_status(row.marital_status),
        communication=_communication(row.language),
        managingOrganization=ORGANIZATION.reference(HOSPITAL),
    )


def _marital_status(status: str | None) -> Element | None:
    marital_status = _MARITAL_STATUS.get(status or "")
    return concept(HL7 + "v3-MaritalStatus", marital_status) or concept(
        HL7 + "v3-NullFlavor", "UNK"
    )


def _communication(language: str | None) -> list[Element] | None:
    if (language or "").upper() != "ENGLISH":
        return None
    return [{"language": concept("urn:ietf:bcp:47", "en")}]


def _extensions(row: Any) -> list[Element]:
    code, display, hispanic = _RACES.get(row.race or "UNKNOWN", _RACES["OTHER"])
    extensions = [_category("race", code, display)]
    if hispanic in _ETHNICITIES:
        extensions.append(_category("ethnicity", *_ETHNICITIES[hispanic]))
    if row.gender in _GENDERS:
        extensions.append({"url": _US_CORE + "birthsex", "valueCode": row.gender})
    return extensions


def _category(name: str, code: str, display: str) -> Element:
    system = HL7 + "v3-NullFlavor" if code.isalpha() else _OMB
    parts = [
        {"url": "ombCategory", "valueCoding": coding(system, code, display)},
        {"url": "text", "valueString": display},
    ]
    return {"url": _US_CORE + name, "extension": parts}


PATIENTS = (
    Conversion("Organization", ("patients",), "SELECT 1 AS hospital", _organization),
    Conversion("Patient", ("patients",), _PATIENTS, _patient),
)
