"""Resources made of discharge summaries and radiology reports."""

from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.ehr.making import make_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import absent_tables, resources

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
COLUMNS = "note_id, subject_id, hadm_id, note_type, note_seq, charttime, storetime, text"
DAY, LATER = "2150-07-01 00:00:00", "2150-08-01 00:00:00"
Note = tuple[str, int, int | None, str, str]


def made(tmp_path: Path, summaries: Sequence[Note], reports: Sequence[Note] = ()) -> list[Resource]:
    """The resources of a database with these notes."""
    path = str(tmp_path / "notes.duckdb")
    stay: dict[str, Cell] = {"hadm_id": 20, "subject_id": 1, "dischtime": "2150-07-01 16:30:00"}
    make_database(path, "mimic_iv", {"patients": [{"subject_id": 1}], "admissions": [stay]})
    with duckdb.connect(path) as database:
        for table, notes in (("discharge", summaries), ("radiology", reports)):
            database.execute(
                f"CREATE TABLE {table} (note_id VARCHAR, subject_id BIGINT, hadm_id BIGINT, "
                "note_type VARCHAR, note_seq BIGINT, charttime TIMESTAMP, storetime TIMESTAMP, "
                "text VARCHAR)"
            )
            for note_id, subject, stay_id, charted, text in notes:
                values = (note_id, subject, stay_id, "DS", 1, charted, charted, text)
                database.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    assert not {"discharge", "radiology"} & set(absent_tables(path))
    return list(resources(path))


def of_type(found: list[Resource], kind: str) -> list[Resource]:
    return [each for each in found if each["resourceType"] == kind]


def attached(attachment: dict[str, Any]) -> str:
    return b64decode(attachment["data"]).decode()


def test_a_summary_is_a_document_known_at_discharge(tmp_path: Path) -> None:
    text = SUMMARY.format(allergies="Penicillins / Sulfa")
    (note,) = of_type(made(tmp_path, [("1-DS-1", 1, 20, DAY, text)]), "DocumentReference")
    assert note["date"] == "2150-07-01T16:30:00-04:00"
    assert attached(note["content"][0]["attachment"]) == text


def test_a_summary_of_another_day_is_known_at_its_end(tmp_path: Path) -> None:
    (note,) = of_type(made(tmp_path, [("1-DS-1", 1, 20, LATER, "")]), "DocumentReference")
    assert note["date"] == "2150-08-01T23:59:59-04:00"


def test_sections_of_a_summary_are_care_plans(tmp_path: Path) -> None:
    text = SUMMARY.format(allergies="Penicillins")
    plans = of_type(made(tmp_path, [("1-DS-1", 1, 20, DAY, text)]), "CarePlan")
    assert {each["category"][0]["text"]: each["description"] for each in plans} == {
        "treatment": "1. Furosemide 40 mg PO DAILY",
        "discharge-planning": "Weigh yourself every morning.",
        "followup": "Cardiology in two weeks.",
    }


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (["Penicillins / Sulfa (Sulfa Drugs)"], ["Penicillins", "Sulfa (Sulfa Drugs)"]),
        (["No Known Allergies / Adverse Drug Reactions"], ["No known allergies"]),
        (["No Known Allergies / Adverse Drug Reactions", "aspirin"], ["aspirin"]),
        (["aspirin", "Aspirin / Latex"], ["aspirin", "Latex"]),
    ],
)
def test_a_patient_has_each_allergy_once(
    tmp_path: Path, listed: list[str], expected: list[str]
) -> None:
    texts = [SUMMARY.format(allergies=each) for each in listed]
    notes = [(f"1-DS-{n}", 1, 20, (DAY, LATER)[n], text) for n, text in enumerate(texts)]
    allergies = of_type(made(tmp_path, notes), "AllergyIntolerance")
    assert [each["code"]["text"] for each in allergies] == expected


def test_a_radiology_report_has_its_examination_and_impression(tmp_path: Path) -> None:
    report = ("1-RR-1", 1, None, "2150-06-30 04:10:00", REPORT)
    (found,) = of_type(made(tmp_path, [], [report]), "DiagnosticReport")
    assert found["code"]["text"] == "CHEST (PA AND LAT)"
    assert found["conclusion"] == "No acute process."
    assert found["effectiveDateTime"] == "2150-06-30T04:10:00-04:00"
    assert attached(found["presentedForm"][0]) == REPORT
    assert "encounter" not in found
