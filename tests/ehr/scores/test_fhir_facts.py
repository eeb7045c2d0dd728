"""Facts of a FHIR record that is not MIMIC-IV's: LOINC codes, UTC times, other code systems."""

from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.scores import fhir_facts, score_from, score_inputs, strict

LOINC = "http://loinc.org"
SUBJECT, STAY = {"reference": "Patient/p"}, {"reference": "Encounter/e"}
STORED = "2150-03-04T17:00:00Z"
END = datetime(2150, 3, 4, 11, 0)


def observation(id: str, code: str, time: str, value: float, unit: str, **more: Any) -> Any:
    return {
        "resourceType": "Observation", "id": id, "status": "final", "subject": SUBJECT,
        "code": {"coding": [{"system": LOINC, "code": code}]}, "effectiveDateTime": time,
        "valueQuantity": {"value": value, "unit": unit}, **more,
    }  # fmt: skip


RESOURCES = [
    {"resourceType": "Encounter", "id": "e", "status": "finished", "subject": SUBJECT,
     "identifier": [{"value": "stay-1"}], "class": {"code": "IMP"},
     "period": {"start": "2150-03-01T13:00:00Z", "end": "2150-03-04T16:00:00Z"}},
    {"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "2080-03-05",
     "identifier": [{"value": "mrn-1"}]},
    {"resourceType": "Condition", "id": "c", "subject": SUBJECT, "encounter": STAY,
     "code": {"coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "I50.9"}]}},
    {"resourceType": "MedicationRequest", "id": "m", "status": "active", "intent": "order",
     "subject": SUBJECT, "encounter": STAY, "authoredOn": "2150-03-02T09:00:00Z",
     "medicationCodeableConcept": {"text": "Aspirin 81 mg"}},
    observation("b", "1975-2", "2150-03-03T10:00:00Z", 68.4, "umol/L"),
    observation("i", "6301-6", "2150-03-03T10:00:00Z", 2.0, "{INR}"),
    observation("k", "2160-0", "2150-03-03T10:00:00Z", 2.0, "mg/dL"),
    observation("k2", "2160-0", "2150-03-03T12:00:00Z", 9.0, "mg/dL", status="entered-in-error"),
    observation("k3", "2160-0", "2150-03-04T15:00:00Z", 8.0, "mg/dL", issued=STORED),
    observation("k4", "2160-0", "2150-02-01T10:00:00Z", 7.0, "mg/dL"),
    observation("x", "1759-0", "2150-03-03T10:00:00Z", 1.0, "1"),
]  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Iterator[FhirServer]:
    build_record(tmp_path / "other.fhir", RESOURCES, source="test")
    server = Record.open(tmp_path / "other.fhir").workspace()
    yield server
    server.close()


def test_loinc_codes_and_other_units_are_read(record: FhirServer) -> None:
    facts = fhir_facts(record, "mrn-1", "stay-1", END)
    assert (facts.birth, facts.female) == (date(2080, 3, 5), True)
    assert facts.stay.start == datetime(2150, 3, 1, 8), "Boston's clocks are five hours behind"
    inputs = score_inputs(facts, "meld")
    assert inputs == {"bilirubin": pytest.approx(4.0, abs=0.01), "inr": 2.0, "creatinine": 2.0,
                      "dialysis": False}  # fmt: skip
    assert strict(score_from(facts, "meld")) == (26, 26)


def test_codes_and_orders_of_other_systems_are_read(record: FhirServer) -> None:
    facts = fhir_facts(record, "mrn-1", "stay-1", END)
    risk = score_inputs(facts, "cha2ds2_vasc")
    assert (risk["heart_failure"], risk["stroke"], risk["age"]) == (True, False, 69)
    assert score_inputs(facts, "has_bled")["drugs"] is True


def test_a_zone_of_its_own(record: FhirServer) -> None:
    facts = fhir_facts(record, "mrn-1", "stay-1", END, zone="Europe/Berlin")
    assert facts.stay.start == datetime(2150, 3, 1, 14)
    assert not facts.coded, "the stay ends at 17:00 there"
