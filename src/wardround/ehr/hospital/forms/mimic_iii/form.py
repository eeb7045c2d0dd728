"""One person's rows of every table of MIMIC-III."""

from collections.abc import Iterator

from wardround.ehr.hospital.forms.calendar import dated, days_moved, moved
from wardround.ehr.hospital.forms.form import Form, Numbers, TableRow
from wardround.ehr.hospital.forms.mimic_iii import bills as billing
from wardround.ehr.hospital.forms.mimic_iii import events, lookups, stays
from wardround.ehr.hospital.patient_record import Chart
from wardround.ehr.schema import load_schema

SCHEMA = "mimic_iii"
# MIMIC-III moves everybody to a time between 2100 and 2200.
_YEARS = (1, 99)
_ORDERS = {"orderid": "bedside", "linkorderid": "bedside"}
_ORDERED = ("inputevents_mv", "inputevents_cv", "procedureevents_mv")


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    for name, row in lookups.rows():
        yield name, (numbers.take(name), *row)


def _rows(chart: Chart, numbers: Numbers) -> Iterator[TableRow]:
    by, places = days_moved(chart.person, *_YEARS), dated(SCHEMA)
    yield "patients", (numbers.take("patients"), *stays.patient(chart, by))
    for visit in chart.visits:
        for name, row in (*stays.rows(visit), *billing.rows(visit)):
            yield name, moved((numbers.take(name), *row), places[name], by)
        for name, row in events.rows(visit, numbers):
            yield name, moved((numbers.take(name), *row[1:]), places[name], by)


MIMIC_III = Form(
    schema=SCHEMA,
    numbered={
        table.name: {"row_id": table.name} | (_ORDERS if table.name in _ORDERED else {})
        for table in load_schema(SCHEMA).tables
    },
    lookups=_lookups,
    rows=_rows,
)
