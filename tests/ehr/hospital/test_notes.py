"""Discharge summaries and radiology reports agree with the record of the stay."""

import re
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hospitals import hospital_file
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_rows
from wardround.ehr.fhir import mimic
from wardround.ehr.fhir.mimic.notes import sections
from wardround.ehr.hospital import build_hospital
from wardround.ehr.hospital.batches import Extract, people_batch, tables_of
from wardround.ehr.hospital.catalogue import conditions
from wardround.ehr.hospital.layouts.mimic_iv.notes import note_rows, stay_chart
from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import phrases
from wardround.ehr.hospital.patient_record import patient_record

TABLES = ["discharge", "radiology", "prescriptions", "diagnoses_icd", "procedures_icd", "labevents"]
CARE_PLANS = ["Discharge Instructions", "Discharge Medications", "Followup Instructions"]
SEEDS = st.integers(0, 10_000)


@pytest.fixture(scope="module")
def hospital() -> Path:
    """A hospital with notes and the tables that they are made of."""
    return hospital_file("mimic_iv", 8, seed=1, tables=TABLES)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as database:
        return database.execute(sql).fetchall()


def summaries(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Stay and sections of each summary."""
    found = rows(path, "SELECT hadm_id, text FROM discharge ORDER BY note_id")
    return [(stay, sections(text)) for stay, text in found]


def test_notes_leave_the_other_tables_as_they_are() -> None:
    """test_extract.py compares the digest of a whole hospital."""
    names = frozenset(table.name for table in tables_of("mimic_iv"))
    without = people_batch("mimic_iv", 1, range(2)).tables
    batch = people_batch("mimic_iv", 1, range(2), Extract(names)).tables
    assert batch.keys() - without.keys() == {"discharge", "radiology"}
    for name, columns in without.items():
        for column, values in columns.items():
            assert str(values.tolist()) == str(batch[name][column].tolist())


def test_each_drug_of_a_list_is_prescribed_with_that_dose(hospital: Path) -> None:
    prescribed = {
        (stay, f"{drug} {dose} {unit} {route}")
        for stay, drug, dose, unit, route in rows(
            hospital,
            "SELECT hadm_id, drug, dose_val_rx, dose_unit_rx, route FROM prescriptions",
        )
    }
    named = [
        (stay, re.sub(r"^\d+\. ", "", line).rsplit(" ", 1)[0])
        for stay, parts in summaries(hospital)
        for heading in ("Medications on Admission", "Discharge Medications")
        for line in parts.get(heading, "").splitlines()
        if line[0].isdigit()
    ]
    assert len(named) == 207
    assert set(named) <= prescribed


def test_each_drug_of_the_course_is_prescribed(hospital: Path) -> None:
    found = rows(hospital, "SELECT hadm_id, list(DISTINCT drug) FROM prescriptions GROUP BY 1")
    told = re.compile("Treated with|: continued")
    checked = 0
    for stay, parts in summaries(hospital):
        names = "|".join(map(re.escape, dict(found)[stay]))
        drugs = re.compile(rf"({told.pattern}) (({names})(, | and |(?=\.)))+\.")
        course = parts["Brief Hospital Course"]
        assert len(told.findall(course)) == len(drugs.findall(course)), course
        checked += len(told.findall(course))
    assert checked == 85


def test_diagnoses_and_procedures_are_those_of_the_stay(hospital: Path) -> None:
    diagnoses = rows(
        hospital,
        "SELECT hadm_id, list(long_title ORDER BY seq_num) FROM diagnoses_icd "
        "JOIN d_icd_diagnoses USING (icd_code, icd_version) GROUP BY 1",
    )
    procedures = rows(
        hospital,
        "SELECT hadm_id, list(chartdate || ' ' || long_title) FROM procedures_icd "
        "JOIN d_icd_procedures USING (icd_code, icd_version) GROUP BY 1",
    )
    headings = {"PRIMARY DIAGNOSIS", "SECONDARY DIAGNOSES"}
    performed = dict(procedures)
    for stay, parts in summaries(hospital):
        named = [x for x in parts["Discharge Diagnosis"].splitlines() if x not in headings]
        assert named == dict(diagnoses)[stay]
        done = parts["Major Surgical or Invasive Procedure"]
        assert done == "None" or set(done.splitlines()) == set(performed[stay])


def test_results_are_those_of_the_stay(hospital: Path) -> None:
    measured = defaultdict(list)
    for stay, head, cell in rows(
        hospital,
        "SELECT hadm_id, strftime(charttime, '%Y-%m-%d %H:%M') || ' ' || upper(fluid), "
        "label || '-' || value FROM labevents JOIN d_labitems USING (itemid)",
    ):
        measured[stay, head].append(cell)
    line = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d [A-Z ]+)  (.*)$", re.MULTILINE)
    named = [
        (stay, head, cells.replace("*", ""))
        for stay, parts in summaries(hospital)
        for head, cells in line.findall(parts["Pertinent Results"])
    ]
    assert len(named) == 36
    for stay, head, cells in named:
        assert not remainder(cells, measured[stay, head]), cells


def remainder(text: str, names: list[str]) -> str:
    """The text without the names, longest first."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return text.strip()


@given(SEEDS)
@settings(max_examples=8, deadline=None)
def test_summaries_have_every_heading_and_a_report_its_impression(seed: int) -> None:
    record = patient_record(seed, 0)
    closed = {visit.stay.hadm_id: visit.stay for visit in record.visits if not visit.stay.open}
    required = [name for name, _ in read_rows("wardround.ehr.fhir.mimic", "discharge_headings.tsv")]
    written = list(note_rows.rows(record, timedelta(weeks=2_000)))
    assert [row[2] for name, row in written if name == "discharge"] == list(closed)
    for name, row in written:
        text = str(row[-1])
        if name == "radiology":
            assert re.search(r"^IMPRESSION:  \S", text, re.MULTILINE)
            continue
        assert [each for each in required if f"{each}:" not in text] == ["Facility"]
        planned = [each for each in CARE_PLANS[:1] if each in sections(text)]
        assert bool(planned) is not closed[int(str(row[2]))].died


def test_notes_do_not_depend_on_batches_or_on_the_tables(hospital: Path) -> None:
    chosen = frozenset({"discharge", "radiology"})
    batch = people_batch("mimic_iv", 1, range(5, 7), Extract(chosen)).tables
    texts = {text for name in chosen if name in batch for text in batch[name]["text"]}
    whole = {text for name in chosen for (text,) in rows(hospital, f"SELECT text FROM {name}")}
    assert texts
    assert texts <= whole


def test_every_reason_has_phrases() -> None:
    assert set(phrases("reasons")) == set(conditions("acute"))
    known = {name for kind in ("acute", "complications", "chronic") for name in conditions(kind)}
    named = {name for name, *_ in read_rows(stay_chart.__package__, "terms.tsv")}
    named |= {each for exam in phrases("imaging").values() for each in exam["findings"]}
    assert named | set(phrases("examination")["changed"]) <= known


def test_notes_become_care_plans_allergies_and_reports(hospital: Path) -> None:
    assert not {"discharge", "radiology"} & set(mimic.absent_tables(str(hospital)))
    patients = defaultdict(set)
    for each in mimic.resources(str(hospital)):
        subject = each.get("subject") or each.get("patient") or {}
        patients[each["resourceType"]].add(subject.get("reference"))
    assert patients["DocumentReference"] >= patients["AllergyIntolerance"] >= patients["CarePlan"]
    assert len(patients["CarePlan"]) == 8
    assert patients["DiagnosticReport"] <= patients["DocumentReference"]


def test_omop_has_the_same_notes_if_they_are_asked_for() -> None:
    sides = {"mimic_iv": frozenset({"discharge", "radiology"}), "omop_5_4": frozenset({"note"})}
    texts = {}
    for schema, names in sides.items():
        tables = people_batch(schema, 1, range(5, 7), Extract(names)).tables
        columns = (
            ("text", "hadm_id") if schema == "mimic_iv" else ("note_text", "visit_occurrence_id")
        )
        texts[schema] = sorted(
            row
            for name in names
            for row in zip(*(tables[name][column] for column in columns), strict=True)
        )
    assert texts["mimic_iv"]
    assert texts["omop_5_4"] == texts["mimic_iv"]
    assert "note" not in people_batch("omop_5_4", 1, range(5, 7)).tables


def test_other_layouts_have_no_notes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Layout eicu has no notes; choose mimic_iv"):
        build_hospital(tmp_path / "hospital.duckdb", schema="eicu", notes=True)
    build_hospital(tmp_path / "part.duckdb", patients=1, schema="mimic_iv", tables=["radiology"])
    tables = rows(tmp_path / "part.duckdb", "SELECT table_name FROM duckdb_tables() ORDER BY 1")
    assert "radiology" in [name for (name,) in tables]
