"""One person's rows of every table of MIMIC-IV."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow
from wardround.ehr.hospital.layouts.mimic_iv import billing_codes as coding
from wardround.ehr.hospital.layouts.mimic_iv import (
    charted,
    inputs,
    lookups,
    medication,
    procedures,
    stays,
    tests,
)
from wardround.ehr.hospital.patient_record import PatientRecord

SCHEMA = "mimic_iv"
# MIMIC-IV shifts everyone to between 2110 and 2210.
_YEARS = (10, 105)


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    by, positions = date_shift(record.person, *_YEARS), date_positions(SCHEMA)
    for name, row in _unmoved(record, numbers):
        yield name, shifted(row, positions[name], by)
    yield stays.patient(record, by)


def _unmoved(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    yield from medication.rows(record, numbers)
    for visit in record.visits:
        yield from stays.rows(visit)
        yield from coding.rows(visit)
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
    lookups=lookups.rows,
    rows=_rows,
)
