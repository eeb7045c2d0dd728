"""One person's rows of every table of MIMIC-IV."""

from collections.abc import Iterator

from wardround.ehr.hospital.forms.calendar import dated, days_moved, moved
from wardround.ehr.hospital.forms.form import Form, Numbers, TableRow
from wardround.ehr.hospital.forms.mimic_iv import billing_codes as coding
from wardround.ehr.hospital.forms.mimic_iv import (
    charted,
    inputs,
    lookups,
    medication,
    procedures,
    stays,
    tests,
)
from wardround.ehr.hospital.patient_record import Chart

SCHEMA = "mimic_iv"
# MIMIC-IV moves everybody to a time between 2110 and 2210.
_YEARS = (10, 105)


def _rows(chart: Chart, numbers: Numbers) -> Iterator[TableRow]:
    by, places = days_moved(chart.person, *_YEARS), dated(SCHEMA)
    for name, row in _unmoved(chart, numbers):
        yield name, moved(row, places[name], by)
    yield stays.patient(chart, by)


def _unmoved(chart: Chart, numbers: Numbers) -> Iterator[TableRow]:
    yield from medication.rows(chart, numbers)
    for visit in chart.visits:
        yield from stays.rows(visit)
        yield from coding.rows(visit)
        yield from tests.rows(visit, numbers)
        yield from charted.rows(visit)
        yield from inputs.rows(visit, numbers)
        yield from procedures.rows(visit, numbers)


MIMIC_IV = Form(
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
