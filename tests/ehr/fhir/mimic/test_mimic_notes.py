"""Resources made of discharge summaries and radiology reports."""

from base64 import b64decode
from collections import defaultdict
from typing import Any

import duckdb
import pytest

from tests.ehr.making import make_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import absent_tables, resources
from wardround.ehr.fhir.mimic.kinds import PATIENT
from wardround.ehr.fhir.validation import defects

SUMMARY = """
Name:  ___                     Unit No:   ___

Allergies:
{allergies}

Attending: ___.

Discharge Medications:
1. Furosemide 40 mg PO DAILY

Discharge Instructions:
Weigh yourself every morning.

Followup Instructions:
Cardiology in two weeks.
"""
REPORT = """EXAMINATION:  CHEST (PA AND LAT)

FINDINGS:  Clear lungs.

IMPRESSION:

No acute process.
"""
DAY, LATER = "2150-07-01 00:00:00", "2150-08-01 00:00:00"
LISTED = {
    2: ["Penicillins / Sulfa (Sulfa Drugs)"],
    3: ["No Known Allergies / Adverse Drug Reactions"],
    4: ["No Known Allergies / Adverse Drug Reactions", "aspirin"],
    5: ["aspirin", "Aspirin / Latex"],
}
# Note, patient, stay, time and text.
SUMMARIES = [
    ("1-DS-1", 1, 20, DAY, SUMMARY.format(allergies="")),
    ("1-DS-2", 1, 20, LATER, "Allergies:"),
    *(
        (f"{patient}-DS-{n}", patient, None, (DAY, LATER)[n], SUMMARY.format(allergies=each))
        for patient, listed in LISTED.items()
        for n, each in enumerate(listed)
    ),
]
REPORTS = [("1-RR-1", 1, None, "2150-06-30 04:10:00", REPORT)]
DEFINITION = (
    "note_id VARCHAR, subject_id BIGINT, hadm_id BIGINT, note_type VARCHAR, note_seq BIGINT, "
    "charttime TIMESTAMP, storetime TIMESTAMP, text VARCHAR"
)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Resource]]:
    """The resources of a database with these notes, by type."""
    path = str(tmp_path_factory.mktemp("notes") / "notes.duckdb")
    stay: dict[str, Cell] = {"hadm_id": 20, "subject_id": 1, "dischtime": "2150-07-01 16:30:00"}
    make_database(path, "mimic_iv", {"admissions": [stay]})
    with duckdb.connect(path) as database:
        for table, rows in (("discharge", SUMMARIES), ("radiology", REPORTS)):
            database.execute(f"CREATE TABLE {table} ({DEFINITION})")
            for note_id, subject, stay_id, charted, text in rows:
                values = (note_id, subject, stay_id, "DS", 1, charted, charted, text)
                database.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    assert not {"discharge", "radiology"} & set(absent_tables(path))
    by_type = defaultdict(list)
    for each in resources(path):
        by_type[each["resourceType"]].append(each)
    return by_type


def document(notes: dict[str, list[Resource]], note_id: str) -> Resource:
    found = notes["DocumentReference"]
    return next(each for each in found if each["identifier"][0]["value"] == note_id)


def attached(attachment: dict[str, Any]) -> str:
    return b64decode(attachment["data"]).decode()


def test_a_summary_is_a_document_known_at_discharge(notes: dict[str, list[Resource]]) -> None:
    note = document(notes, "1-DS-1")
    assert note["date"] == "2150-07-01T16:30:00-04:00"
    assert attached(note["content"][0]["attachment"]) == SUMMARY.format(allergies="")
    assert document(notes, "1-DS-2")["date"] == "2150-08-01T23:59:59-04:00"


def test_sections_of_a_summary_are_care_plans(notes: dict[str, list[Resource]]) -> None:
    plans = [each for each in notes["CarePlan"] if "encounter" in each]
    assert {each["category"][0]["text"]: each["description"] for each in plans} == {
        "treatment": "1. Furosemide 40 mg PO DAILY",
        "discharge-planning": "Weigh yourself every morning.",
        "followup": "Cardiology in two weeks.",
    }


@pytest.mark.parametrize(
    ("patient", "expected"),
    [
        (1, []),
        (2, ["Penicillins", "Sulfa (Sulfa Drugs)"]),
        (3, ["No known allergies"]),
        (4, ["aspirin"]),
        (5, ["aspirin", "Latex"]),
    ],
)
def test_a_patient_has_each_allergy_once(
    notes: dict[str, list[Resource]], patient: int, expected: list[str]
) -> None:
    reference = PATIENT.reference(patient)
    allergies = [each for each in notes["AllergyIntolerance"] if each["patient"] == reference]
    assert [each["code"]["text"] for each in allergies] == expected


def test_a_radiology_report_has_its_examination_and_impression(
    notes: dict[str, list[Resource]],
) -> None:
    (found,) = notes["DiagnosticReport"]
    assert found["code"]["text"] == "CHEST (PA AND LAT)"
    assert found["conclusion"] == "No acute process."
    assert found["effectiveDateTime"] == "2150-06-30T04:10:00-04:00"
    assert attached(found["presentedForm"][0]) == REPORT
    assert "encounter" not in found
    assert document(notes, "1-RR-1")["date"] == found["effectiveDateTime"]


def test_resources_of_notes_are_valid(notes: dict[str, list[Resource]]) -> None:
    assert [each for kind in notes.values() for each in kind if defects(each)] == []
