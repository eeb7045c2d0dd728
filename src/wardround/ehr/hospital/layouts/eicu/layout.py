"""One person's rows of every eICU table except free notes and custom tests."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.eicu import (
    apache,
    care,
    charting,
    conditions,
    medication,
    patient,
    tests,
)
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay, hospitals, unit_stays
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.schema import load_schema

SCHEMA = "eicu"
_IDENTIFIED = ("hospital", "patient")


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    for hospital in hospitals():
        yield "hospital", (hospital.id, hospital.beds, hospital.teaching, hospital.region)


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    for unit in unit_stays(record):
        yield patient.row(unit)
        for name, row in _events(unit):
            yield name, (numbers.take(name), unit.id, *row)


def _events(unit: UnitStay) -> Iterator[TableRow]:
    """Rows of all other tables, without row number and unit stay."""
    yield from conditions.rows(unit)
    yield from apache.rows(unit)
    yield from tests.rows(unit)
    yield from medication.rows(unit)
    yield from charting.rows(unit)
    yield from care.rows(unit)


EICU = Layout(
    schema=SCHEMA,
    numbered={
        table.name: {table.key[0]: table.name}
        for table in load_schema(SCHEMA).tables
        if table.name not in _IDENTIFIED
    },
    lookups=_lookups,
    rows=_rows,
)
