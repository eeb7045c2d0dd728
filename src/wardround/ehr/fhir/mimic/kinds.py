"""The kinds of resources of MIMIC-IV on FHIR: type, profile, and ids from MIMIC's keys.

The ids are those of MIMIC-IV on FHIR 2.1.0: name-based UUIDs whose name is a key of MIMIC and
whose namespace is the kind's. Its demo has no ids of laboratory results and charted values, which
follow the published recipe, and no resources of the kinds without a profile, which are our own.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

_PROFILE = "http://mimic.mit.edu/fhir/mimic/StructureDefinition/mimic-"
_ROOT = uuid5(NAMESPACE_OID, "MIMIC-IV")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of resource.

    Attributes:
        name: the name of the kind, the namespace of its ids.
        type: the type of resource.
        profile: the end of the address of MIMIC's profile; empty if there is none.
    """

    name: str
    type: str
    profile: str = ""

    def resource(self, key: object, **elements: Any) -> dict[str, Any]:
        """A resource of this kind without elements that are None."""
        head = {"resourceType": self.type, "id": resource_id(self.name, str(key))}
        meta = {"meta": {"profile": [_PROFILE + self.profile]}} if self.profile else {}
        return head | meta | {name: each for name, each in elements.items() if each is not None}

    def reference(self, key: object | None) -> dict[str, str] | None:
        """A reference to the resource with this key; None without a key."""
        if key is None:
            return None
        return {"reference": f"{self.type}/{resource_id(self.name, str(key))}"}


@lru_cache(maxsize=1 << 16)
def resource_id(kind: str, key: str) -> str:
    """The id of a resource.

    >>> resource_id("Patient", "10007795")
    '28dcf33b-0c52-587f-83ad-2a3270976719'
    """
    return str(uuid5(_namespace(kind), key))


@cache
def _namespace(kind: str) -> UUID:
    return uuid5(_ROOT, kind)


ORGANIZATION = Kind("Organization", "Organization", "organization")
LOCATION = Kind("Location", "Location", "location")
PATIENT = Kind("Patient", "Patient", "patient")
ENCOUNTER = Kind("Encounter", "Encounter", "encounter")
ENCOUNTER_ED = Kind("EncounterED", "Encounter", "encounter")
ENCOUNTER_ICU = Kind("EncounterICU", "Encounter", "encounter")
CONDITION = Kind("Condition", "Condition", "condition")
PROCEDURE = Kind("Procedure", "Procedure", "procedure")
PROCEDURE_ICU = Kind("ProcedureICU", "Procedure", "procedure-icu")
SPECIMEN = Kind("SpecimenMicro", "Specimen", "specimen")
SPECIMEN_LAB = Kind("SpecimenLab", "Specimen", "specimen")
LABORATORY = Kind("ObservationLabevents", "Observation", "observation-labevents")
CHARTED = Kind("ObservationChartevents", "Observation", "observation-chartevents")
OUTPUT = Kind("ObservationOutputevents", "Observation", "observation-outputevents")
CHARTED_TIME = Kind("ObservationDatetimeevents", "Observation", "observation-datetimeevents")
OUTPATIENT = Kind("ObservationOMR", "Observation")
CULTURE = Kind("ObservationMicroTest", "Observation", "observation-micro-test")
ORGANISM = Kind("ObservationMicroOrg", "Observation", "observation-micro-org")
SUSCEPTIBILITY = Kind("ObservationMicroSusc", "Observation", "observation-micro-susc")
CULTURE_REPORT = Kind("DiagnosticReportMicro", "DiagnosticReport")
MEDICATION = Kind("MedicationPrescriptions", "Medication", "medication")
REQUEST = Kind("MedicationRequest", "MedicationRequest", "medication-request")
DISPENSE = Kind("MedicationDispense", "MedicationDispense", "medication-dispense")
ADMINISTRATION = Kind(
    "MedicationAdministration", "MedicationAdministration", "medication-administration"
)
ADMINISTRATION_ICU = Kind(
    "MedicationAdministrationICU", "MedicationAdministration", "medication-administration-icu"
)
RADIOLOGY_REPORT = Kind("DiagnosticReportRadiology", "DiagnosticReport")
NOTE = Kind("DocumentReference", "DocumentReference")
CARE_PLAN = Kind("CarePlan", "CarePlan")
ALLERGY = Kind("AllergyIntolerance", "AllergyIntolerance")
