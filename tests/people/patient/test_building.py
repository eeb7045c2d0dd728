"""Memories built from a record: each phase, verification, and patients who speak from them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import orjson
import pytest

from tests.apps.commands import Cli
from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.ehr.database import Database, open_database
from wardround.ehr.schema import NOTE_TABLES, load_schema
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply
from wardround.people.patient.building.admission import Admission, Measured
from wardround.people.patient.building.build import build_memory, literacy, persona, verify
from wardround.people.patient.building.extraction import home_drugs, lab_trends
from wardround.people.patient.memory import (
    Diagnosis,
    Medication,
    PatientMemory,
    WarningSign,
    folder_memories,
)
from wardround.people.patient.scripted import ScriptedPatient

NOTE = """
 Name:  ___                     Unit No:   ___

Allergies:
No Known Allergies

Chief Complaint:
Chest pain

History of Present Illness:
60 year old man who ran out of his Lisinopril two weeks ago and is worried about his heart.

Past Medical History:
Hypertension
Atrial fibrillation
Pain at home: 2/10

Social History:
Lives alone.
Tobacco: never smoker
Functional status: walks with a cane

Physical Exam:
GENERAL: Alert, in no acute distress

Brief Hospital Course:
# Hypertension: continued Lisinopril and Amlodipine.

Medications on Admission:
Adherence: takes medications as prescribed.
1. Lisinopril 10 mg PO DAILY
2. Amlodipine 5 mg PO DAILY
3. Ginkgo 60 mg PO DAILY

Discharge Instructions:
You came in with chest pain. Rest for two days. Call us if it comes back.
"""
VALUES = tuple(
    Measured("Potassium", 50971, "mEq/L", f"2150-01-0{day} 06:00:00", value, "")
    for day, value in ((1, 4.2), (2, 5.8))
)
RECORD = Admission(
    7,
    70,
    NOTE,
    ("Lisinopril", "amLODIPine", "Potassium Chloride"),
    ("Unspecified essential hypertension", "Atrial fibrillation"),
    ("Unspecified essential hypertension", "Atrial fibrillation"),
    VALUES,
)


@pytest.fixture
def database(mimic: Path) -> Iterator[Database]:
    with closing(open_database(mimic)) as opened:
        yield opened


def fill(path: Path, rows: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Writes tables of MIMIC-IV with some of their columns filled in."""
    tables = {table.name: table for table in (*load_schema("mimic_iv").tables, *NOTE_TABLES)}
    with duckdb.connect(str(path)) as connection:
        for name, entries in rows.items():
            columns = ", ".join(f'"{c.name}" {c.type}' for c in tables[name].columns)
            connection.execute(f"CREATE TABLE {name} ({columns})")
            for entry in entries:
                places = ", ".join("?" for _ in entry)
                connection.execute(
                    f"INSERT INTO {name} ({', '.join(entry)}) VALUES ({places})",
                    [*entry.values()],
                )


@pytest.fixture
def mimic(tmp_path: Path) -> Path:
    """The tables of RECORD as a DuckDB file, with an older admission without a note."""
    path = tmp_path / "mimic.duckdb"
    admitted, noted = "2150-01-01", "2150-01-09"
    rows: dict[str, list[dict[str, object]]] = {
        "patients": [{"subject_id": subject} for subject in (7, 8)],
        "admissions": [
            {"subject_id": subject, "hadm_id": stay, "admittime": time}
            for subject, stay, time in ((7, 70, admitted), (7, 69, "2149-01-01"), (8, 80, admitted))
        ],
        "discharge": [
            {"note_id": id, "subject_id": 7, "hadm_id": 70, "charttime": noted, "text": text}
            for id, text in (("7-DS-10", NOTE), ("7-DS-9", "An earlier version."))
        ],
        "prescriptions": [
            {"subject_id": 7, "hadm_id": 70, "pharmacy_id": number, "drug": drug}
            for number, drug in enumerate(RECORD.prescribed)
        ],
        "diagnoses_icd": [
            {"subject_id": 7, "hadm_id": 70, "seq_num": rank, "icd_code": code, "icd_version": 9}
            for rank, code in ((1, "4019"), (2, "42731"))
        ],
        "d_icd_diagnoses": [
            {"icd_code": code, "icd_version": 9, "long_title": title}
            for code, title in zip(("4019", "42731"), RECORD.diagnoses, strict=True)
        ],
        "d_labitems": [{"itemid": 50971, "label": "Potassium", "fluid": "Blood"}],
        "labevents": [
            {
                "labevent_id": number,
                "subject_id": 7,
                "hadm_id": 70,
                "itemid": each.itemid,
                "charttime": each.time,
                "valuenum": each.value,
                "valueuom": each.unit,
            }
            for number, each in enumerate(VALUES)
        ],
    }
    fill(path, rows)
    return path


def test_home_drugs_have_the_adherence_that_is_told_of_them() -> None:
    drugs = {drug.name: drug for drug in home_drugs(RECORD)}
    assert list(drugs) == ["Lisinopril", "Amlodipine", "Ginkgo"]
    lisinopril, amlodipine = drugs["Lisinopril"], drugs["Amlodipine"]
    assert (lisinopril.adherence, lisinopril.indication) == ("ran_out", "Hypertension")
    assert lisinopril.evidence.startswith("60 year old man who ran out")
    assert (amlodipine.adherence, amlodipine.evidence) == (
        "good",
        "takes medications as prescribed.",
    )


def test_a_trend_has_two_values_and_a_direction() -> None:
    [trend] = lab_trends(RECORD)
    assert (trend.trend_direction, trend.value_min, trend.value_max) == ("rising", 4.2, 5.8)
    assert list(lab_trends(replace(RECORD, values=VALUES[:1]))) == []


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("", "high"),
        ("You had a fall. Rest at home. Call us.", "low"),
        ("You had warfarin and a high INR. Rest at home. Call us.", "medium"),
        ("Warfarin. Aspirin. Insulin. Your potassium and your INR were low.", "high"),
        (
            "Anticoagulation necessitates periodic laboratory determinations, individualized "
            "adjustment, and comprehensive multidisciplinary consideration of interactions.",
            "high",
        ),
    ],
)
def test_literacy_follows_from_grade_and_terms(text: str, level: str) -> None:
    assert literacy(text) == level


def test_the_persona_follows_from_the_record() -> None:
    drugs = home_drugs(RECORD)
    found = persona(RECORD, drugs, withholds=True)
    assert (found.anxiety_level, found.info_completeness) == ("high", "critical_withheld")
    assert found.overall_adherence == "poor"
    assert persona(RECORD, drugs, withholds=False).info_completeness == "full"


async def test_a_memory_is_built_and_verified(database: Database) -> None:
    built = await build_memory(database, 7, 70)
    memory = built.memory
    assert [each.drug for each in memory.medications] == ["Lisinopril", "Amlodipine"]
    assert [(each.kind, each.text) for each in built.findings] == [
        ("removed", "Ginkgo is not among the prescriptions")
    ]
    lisinopril = memory.medications[0]
    assert (lisinopril.current_status, lisinopril.critical_flag) == ("ran_out", True)
    assert lisinopril.adherence == "ran_out"
    assert [sign.medical_condition for sign in memory.warning_signs] == ["hyperkalemia"]
    assert memory.functional_status == "walks with a cane"
    assert memory.social_history == "Lives alone. Tobacco: never smoker."
    assert memory.symptom_log[0].symptom == "chest pain"
    assert memory.diagnoses[0].named("en") == "high blood pressure"


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_patient_speaks_from_a_built_memory_and_withholds(
    database: Database, language: str
) -> None:
    built = await build_memory(database, 7, 70)
    patient = ScriptedPatient(built.memory, language, "medium")  # type: ignore[arg-type]
    name = {"en": "lisinopril", "zh": "赖诺普利"}[language]
    before = await patient.answer("medication_adherence", {})
    asked = await patient.answer("medication_adherence", {"drug": "lisinopril"})
    assert name not in before.text.lower()
    assert name in asked.text.lower()


async def test_a_model_words_what_is_recorded_and_nothing_else(
    database: Database,
) -> None:
    answer = {
        "diagnoses": [
            {"medical_term": "Atrial fibrillation", "patient_term": "a flutter",
             "patient_term_zh": "心慌"},
            {"medical_term": "Unspecified essential hypertension", "patient_term": "高血压"},
            {"medical_term": "Scurvy", "patient_term": "bad gums"},
        ],
        "drugs": [
            {"drug": "Lisinopril", "explanation": "The pharmacy was closed.",
             "explanation_zh": "药店关门了。", "withheld": True},
            {"drug": "Amlodipine", "explanation": "I take it."},
        ],
        "social_history": "I live alone.",
        "social_history_zh": "我一个人住。",
    }  # fmt: skip

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        assert "ran out of his Lisinopril" in messages[-1].text
        return Reply(orjson.dumps(answer).decode())

    model = scripted(reply).bind("words", lambda asked: None, None)
    memory = (await build_memory(database, 7, 70, model)).memory
    terms = {each.medical_term: each for each in memory.diagnoses}
    assert "Scurvy" not in terms
    assert terms["Atrial fibrillation"].named("zh") == "心慌"
    assert memory.diagnoses[0].patient_term == "high blood pressure"
    lisinopril, amlodipine = memory.medications
    assert lisinopril.critical_flag
    assert lisinopril.text("patient_explanation", "zh") == "药店关门了。"
    assert amlodipine.patient_explanation == ""
    assert memory.text("social_history", "zh") == "我一个人住。"


def test_verification_finds_what_the_record_does_not_bear_out() -> None:
    memory = PatientMemory(
        subject_id=7,
        diagnoses=(Diagnosis(medical_term="Hypertension"), Diagnosis(medical_term="Gout")),
        medications=(
            Medication(drug="Zestril", adherence_evidence="ran out of his Lisinopril two weeks"),
            Medication(drug="Amlodipine", adherence_evidence="he never misses it"),
            Medication(drug="Warfarin"),
        ),
        warning_signs=(
            WarningSign(medical_condition="hyperkalemia", contributing_factor="Potassium"),
            WarningSign(medical_condition="hyponatremia", contributing_factor="Sodium"),
        ),
    )
    verified, findings = verify(memory, RECORD)
    assert [each.drug for each in verified.medications] == ["Zestril", "Amlodipine"]
    assert [each.text for each in findings] == [
        "Warfarin is not among the prescriptions",
        "Gout is not among the coded diagnoses",
        "no value of Sodium is near the limit of hyponatremia",
        "the evidence about Amlodipine does not stand in the note",
    ]


def test_the_command_writes_memories_and_overwrites_none(
    cli: Cli, mimic: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "memories"
    done = cli("people", "memories", mimic, folder, "--subject", 7)
    assert done.code == 0, done.err
    assert "removed 1 drugs" in done.out
    assert folder_memories(folder)[7].anchor_hadm_id == 70
    assert (folder / "PHM_7.yaml").stat().st_mode & 0o077 == 0
    again = cli("people", "memories", mimic, folder, "--subject", 7)
    assert "exists already" in again.err
    unknown = cli("people", "memories", mimic, folder, "--subject", 8)
    assert "has no discharge summary of 8" in unknown.err
    everybody = cli("people", "memories", mimic, tmp_path / "all", "--json")
    assert "Ginkgo" in everybody.out


def test_a_database_without_notes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plain.duckdb"
    fill(path, {"patients": [], "admissions": []})
    missing = pytest.raises(UserError, match="no 'note' records")
    with closing(open_database(path)) as plain, missing:
        asyncio.run(build_memory(plain, 1, 1))


def test_a_folder_without_memories_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no memory"):
        folder_memories(tmp_path)
