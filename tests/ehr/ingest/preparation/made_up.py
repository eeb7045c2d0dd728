"""Small synthetic official databases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from wardround.ehr.schema import Table, create_statement, load_schema

Rows = Mapping[str, Sequence[Mapping[str, Any]]]

VITALS = {211: "Heart Rate", 762: "Admit Wt"}
OTHERS = {1: "Ventilator Mode", 2: "Head of Bed"}


@dataclass(frozen=True)
class Stay:
    """A hospital stay: start after the first one, and length, in minutes."""

    begins: int
    lasts: int


@dataclass(frozen=True)
class Patient:
    """A person with stays in time order."""

    number: int
    age: int
    admitted: datetime
    stays: Sequence[Stay] = field(default=(Stay(0, 5 * 1440),))


def write_official(path: Path, release: str, rows: Rows) -> str:
    """Create an official database of some rows; omitted columns are NULL."""
    schema = load_schema(release)
    with duckdb.connect(path) as database:
        for name, entries in rows.items():
            table = schema.table(name)
            loose = tuple(replace(column, null=True) for column in table.columns)
            database.execute(create_statement(replace(table, columns=loose, key=()), "duckdb"))
            _insert(database, table, entries)
    return str(path)


def _insert(
    database: duckdb.DuckDBPyConnection, table: Table, entries: Sequence[Mapping[str, Any]]
) -> None:
    import pandas

    frame = pandas.DataFrame(  # noqa: F841 - found by its name
        [[entry.get(column.name) for column in table.columns] for entry in entries], dtype=object
    )
    if entries:
        database.execute(f"INSERT INTO {table.name} FROM frame")


def ward(number: int, seed: int = 0) -> list[Patient]:
    """Patients of many ages, some with several stays."""
    draw = Random(seed)
    return [
        Patient(
            number=place + 1,
            age=draw.choice((5, 10, 11, 45, 67, 89, 90, 300)),
            admitted=datetime(2150, 1, 1) + timedelta(minutes=draw.randrange(50_000_000)),
            stays=[
                Stay(400 * 1440 * visit, draw.randrange(600, 12 * 1440))
                for visit in range(draw.choice((1, 1, 2, 3)))
            ],
        )
        for place in range(number)
    ]


def mimic_iii(patients: Iterable[Patient]) -> Rows:
    """MIMIC-III rows of some patients; values encode their original row."""
    rows: dict[str, list[dict[str, Any]]] = {
        name: []
        for name in (
            *("patients", "admissions", "diagnoses_icd", "procedures_icd", "labevents"),
            *("prescriptions", "icustays", "chartevents", "inputevents_cv", "outputevents"),
            *("microbiologyevents", "transfers"),
        )
    }
    for patient in patients:
        _add_patient(rows, patient)
    items = [
        {"itemid": item, "label": label, "linksto": "chartevents"}
        for item, label in (VITALS | OTHERS).items()
    ]
    titles = [{"icd9_code": code, "short_title": code, "long_title": code} for code in ("A1", "B2")]
    tests = [{"itemid": 50, "label": "Sodium"}, {"itemid": 51, "label": "Glucose"}]
    return {
        **rows,
        "d_icd_diagnoses": titles,
        "d_icd_procedures": titles,
        "d_labitems": tests,
        "d_items": items,
    }


def _add_patient(rows: dict[str, list[dict[str, Any]]], patient: Patient) -> None:
    born = patient.admitted - timedelta(days=patient.age * 365.25 + 100)
    rows["patients"].append(
        {"subject_id": patient.number, "gender": "F", "dob": born.replace(hour=0, minute=0)}
    )
    for visit, stay in enumerate(patient.stays):
        _add_stay(rows, patient, visit, stay)


def _add_stay(
    rows: dict[str, list[dict[str, Any]]], patient: Patient, visit: int, stay: Stay
) -> None:
    came = patient.admitted + timedelta(minutes=stay.begins)
    went = came + timedelta(minutes=stay.lasts)
    hadm = patient.number * 100 + visit
    whose = {"subject_id": patient.number, "hadm_id": hadm, "icustay_id": hadm}
    rows["admissions"].append(
        whose
        | {"admittime": came, "dischtime": went, "admission_type": "EMERGENCY"}
        | {"admission_location": "CLINIC", "discharge_location": "HOME", "insurance": "Medicare"}
        | {"ethnicity": "WHITE"}
    )
    rows["icustays"].append(
        whose
        | {"intime": came, "outtime": went, "first_careunit": f"U{hadm}", "last_careunit": "MICU"}
        | {"first_wardid": hadm, "last_wardid": 7}
    )
    for step in range(6):
        at = came + timedelta(minutes=stay.lasts * step // 6)
        _add_events(rows, whose, at, hadm * 10 + step, step)


def _add_events(
    rows: dict[str, list[dict[str, Any]]],
    whose: dict[str, int],
    at: datetime,
    mark: int,
    step: int,
) -> None:
    then = whose | {"charttime": at}
    rarely = step == 5
    rows["diagnoses_icd"].append(whose | {"icd9_code": f"D{mark}"})
    rows["procedures_icd"].append(whose | {"icd9_code": f"P{mark}"})
    rows["labevents"].append(
        then | {"itemid": 50, "valuenum": mark, "valueuom": "MMOL/L" if rarely else "mEq/L"}
    )
    item = 211 if step % 2 else 1
    rows["chartevents"].append(then | {"itemid": item, "valuenum": mark, "valueuom": "BPM"})
    fluid, unit = (9, "mg") if rarely else (8, "mL")
    rows["inputevents_cv"].append(then | {"itemid": fluid, "amount": mark, "amountuom": unit})
    rows["outputevents"].append(then | {"itemid": fluid, "value": mark, "valueuom": unit})
    rows["microbiologyevents"].append(then | {"spec_type_desc": f"S{mark}", "org_name": None})
    rows["prescriptions"].append(
        whose
        | {"startdate": at, "enddate": at + timedelta(days=2), "drug": "Aspirin", "route": "PO"}
        | {"dose_val_rx": str(mark), "dose_unit_rx": "TAB" if rarely else "mg"}
    )
    rows["transfers"].append(
        whose
        | {"eventtype": "transfer", "intime": at, "outtime": at + timedelta(hours=1)}
        | {"curr_careunit": f"U{mark}" if step else None, "curr_wardid": mark if step else None}
    )


def eicu(people: Iterable[Sequence[int]]) -> Rows:
    """EICU rows of people, given by the lengths of their hospital stays in minutes."""
    stays = [
        (person, visit, minutes)
        for person, lengths in enumerate(people)
        for visit, minutes in enumerate(lengths)
    ]
    numbers = [(person, person * 100 + visit, minutes) for person, visit, minutes in stays]
    return {
        "patient": [
            {"uniquepid": f"P-{person}", "patienthealthsystemstayid": stay, "hospitalid": 1}
            | {"patientunitstayid": stay, "age": "70", "wardid": stay, "dischargeweight": 70.0}
            | {"hospitaladmittime24": "10:30:00", "hospitaladmitoffset": -60}
            | {"hospitaldischargeyear": 2014, "hospitaldischargeoffset": minutes - 60}
            | {"unitdischargeoffset": minutes - 60, "hospitaldischargestatus": "Alive"}
            for person, stay, minutes in numbers
        ],
        "hospital": [{"hospitalid": 1, "region": "West"}],
        "diagnosis": [
            {"diagnosisid": stay, "patientunitstayid": stay, "diagnosisoffset": 0}
            | {"diagnosisstring": f"cardiovascular|shock|hypotension|stay {stay}|drug"}
            for _, stay, _ in numbers
        ],
    }


def mimic_iv() -> Rows:
    """MIMIC-IV rows of one person with a diagnosis, a procedure and three inputs."""
    came, went = datetime(2150, 3, 1, 8), datetime(2150, 3, 9, 12)
    whose = {"subject_id": 1, "hadm_id": 2, "stay_id": 3}
    inputs = [(8, 40.5, "ml", 250.0), (8, 30.5, "ml", 250.0), (9, 2.0, "mg", 100.0)]
    return {
        "patients": [{"subject_id": 1, "gender": "F", "anchor_age": 50, "anchor_year": 2150}],
        "admissions": [whose | {"admittime": came, "dischtime": went, "admission_type": "URGENT"}],
        "icustays": [
            whose
            | {"first_careunit": "MICU", "last_careunit": "MICU", "intime": came, "outtime": went}
        ],
        "d_icd_diagnoses": [_code("4019", 9, "Hypertension"), _code("I10", 10, "Hypertension")],
        "d_icd_procedures": [_code("009600Z", 10, "Drainage")],
        "diagnoses_icd": [whose | _code("4019", 9)],
        "procedures_icd": [whose | _code("009600Z", 10) | {"chartdate": came.date()}],
        "inputevents": [
            whose
            | {"starttime": came, "itemid": item, "amount": amount, "amountuom": unit}
            | {"totalamount": total, "totalamountuom": "ml"}
            for item, amount, unit, total in inputs
        ],
    }


def _code(code: str, version: int, title: str = "") -> dict[str, Any]:
    return {"icd_code": code, "icd_version": version, "long_title": title}
