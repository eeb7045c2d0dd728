"""One person's rows of every table of MIMIC-III."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow
from wardround.ehr.hospital.layouts.mimic_iii import bills as billing
from wardround.ehr.hospital.layouts.mimic_iii import events, lookups, stays
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.schema import load_schema

SCHEMA = "mimic_iii"
# MIMIC-III shifts everyone to between 2100 and 2200.
_YEARS = (1, 99)
_ORDERS = {"orderid": "bedside", "linkorderid": "bedside"}
_ORDERED = ("inputevents_mv", "inputevents_cv", "procedureevents_mv")


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    for name, row in lookups.rows():
        yield name, (numbers.take(name), *row)


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    by, positions = date_shift(record.person, *_YEARS), date_positions(SCHEMA)
    yield "patients", (numbers.take("patients"), *stays.patient(record, by))
    for visit in record.visits:
        for name, row in (*stays.rows(visit), *billing.rows(visit)):
            yield name, shifted((numbers.take(name), *row), positions[name], by)
        for name, row in events.rows(visit, numbers):
            yield name, shifted((numbers.take(name), *row[1:]), positions[name], by)


MIMIC_III = Layout(
    schema=SCHEMA,
    numbered={
        table.name: {"row_id": table.name} | (_ORDERS if table.name in _ORDERED else {})
        for table in load_schema(SCHEMA).tables
    },
    lookups=_lookups,
    rows=_rows,
)
