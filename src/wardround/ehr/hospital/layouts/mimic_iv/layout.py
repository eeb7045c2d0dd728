"""MIMIC-IV's lookup tables, and one person's rows of every other table."""

from collections.abc import Iterator

from wardround.ehr.hospital.dictionaries import bedside_items, billing_codes, icd_titles
from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow
from wardround.ehr.hospital.layouts.mimic_iv import (
    charted,
    inputs,
    medication,
    procedures,
    stays,
    tests,
)
from wardround.ehr.hospital.layouts.mimic_iv.notes import note_rows
from wardround.ehr.hospital.layouts.published_names import sentence
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.hospital.staff import CAREGIVERS, PROVIDERS, caregiver, provider
from wardround.ehr.schema import NOTE_TABLES
from wardround.ehr.terms.dictionaries import dictionary


def _lookup_rows(numbers: Numbers) -> Iterator[TableRow]:
    for name in ("d_icd_diagnoses", "d_icd_procedures"):
        for code, version, title in icd_titles(name):
            yield name, (code.upper(), version, sentence(title))
    for row in dictionary("lab_items"):
        yield "d_labitems", (int(row["itemid"]), row["label"], row["fluid"], row["category"])
    for item in bedside_items():
        yield "d_items", (*item, None, None)
    yield (
        "d_hcpcs",
        ("G0378", 3, "Hospital observation service, per hour", "Hospital observation per hr"),
    )
    for code, section in billing_codes().values():
        yield "d_hcpcs", (code, 1, None, section.subsection)
    for number in range(PROVIDERS):
        yield "provider", (provider(number),)
    for number in range(CAREGIVERS):
        yield "caregiver", (caregiver(number),)


SCHEMA = "mimic_iv"
# MIMIC-IV shifts everyone to between 2110 and 2210.
YEARS = (10, 105)


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    by, positions = date_shift(record.person, *YEARS), date_positions(SCHEMA)
    for name, row in _unshifted_rows(record, numbers):
        yield name, shifted(row, positions[name], by)
    yield stays.patient(record, by)


def _notes(record: PatientRecord) -> Iterator[TableRow]:
    yield from note_rows.rows(record, date_shift(record.person, *YEARS))


def _unshifted_rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    yield from medication.rows(record, numbers)
    yield from stays.outpatient(visit.stay for visit in record.visits)
    for visit in record.visits:
        yield from stays.rows(visit)
        yield from tests.rows(visit, numbers)
        yield from charted.rows(visit)
        yield from inputs.rows(visit, numbers)
        yield from procedures.rows(visit, numbers)


MIMIC_IV = Layout(
    schema=SCHEMA,
    numbered={
        "labevents": {"labevent_id": "labevents", "specimen_id": "specimens"},
        "microbiologyevents": {
            "microevent_id": "microbiologyevents",
            "micro_specimen_id": "samples",
        },
        "pharmacy": {"pharmacy_id": "pharmacy"},
        "prescriptions": {"pharmacy_id": "pharmacy"},
        "emar": {"pharmacy_id": "pharmacy"},
        "emar_detail": {"pharmacy_id": "pharmacy"},
        "inputevents": {"orderid": "bedside", "linkorderid": "bedside"},
        "ingredientevents": {"orderid": "bedside", "linkorderid": "bedside"},
        "procedureevents": {"orderid": "bedside", "linkorderid": "bedside"},
    },
    lookups=_lookup_rows,
    rows=_rows,
    notes=_notes,
    note_tables=tuple(table.name for table in NOTE_TABLES),
)
