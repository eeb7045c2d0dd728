"""Layout `ehrsql_mimic_iv`: lower case, vital signs only, priced events with random variation."""

from collections.abc import Iterator
from datetime import date, datetime

from wardround.ehr.hospital.dictionaries import icd_titles
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, Row, TableRow, Value
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.schema import load_schema
from wardround.ehr.terms.dictionaries import dictionary

# Charge of a recorded diagnosis: the physician's evaluation. Clinical judgement.
DIAGNOSIS = 45.0


def charge(draw: RandomStream, price: float) -> float:
    """The amount charged, in US dollars and cents."""
    return round(price * draw.between(0.85, 1.2), 2)


SCHEMA = "ehrsql_mimic_iv"
# The bedside items of this layout's tables.
_TABLES = ("chartevents", "inputevents", "outputevents")


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    for name in ("d_icd_diagnoses", "d_icd_procedures"):
        for code, version, title in icd_titles(name):
            yield _numbered(numbers, name, (code.lower(), version, title.lower()))
    for row in dictionary("lab_items"):
        yield _numbered(numbers, "d_labitems", (int(row["itemid"]), row["label"].lower()))
    for row in dictionary("items"):
        if row["linksto"] in _TABLES:
            item = (row["label"].lower(), row["abbreviation"].lower(), row["linksto"])
            yield _numbered(numbers, "d_items", (int(row["itemid"]), *item))


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    someone = record.person
    gender = "f" if someone.female else "m"
    dates = (_midnight(someone.born), _midnight(record.died) if record.died else None)
    yield _numbered(numbers, "patients", (someone.subject_id, gender, *dates))
    for visit in record.visits:
        ids = (someone.subject_id, visit.stay.hadm_id)
        yield _numbered(numbers, "admissions", (*ids, *_admission(visit)))
        yield from _charged_rows(visit, ids, numbers)
        yield from _stays_and_cultures(visit, ids, numbers)
        yield from _intensive(visit, ids, numbers)


def _admission(visit: Visit) -> Row:
    stay, demographics = visit.stay, visit.demographics
    return (
        stay.admitted,
        None if stay.open else stay.end,
        demographics.kind,
        demographics.source,
        demographics.destination,
        demographics.insurance,
        demographics.language,
        demographics.marital,
        stay.age,
    )


def _charged_rows(visit: Visit, ids: Row, numbers: Numbers) -> Iterator[TableRow]:
    """The charged rows, each followed by its charge."""
    draw = visit.stay.draw("prices")
    for event, time, row, price in _priced_events(visit):
        number = numbers.used[event]
        yield _numbered(numbers, event, (*ids, *row))
        yield _numbered(numbers, "cost", (*ids, event, number, time, charge(draw, price)))


def _priced_events(visit: Visit) -> Iterator[tuple[str, datetime, Row, float]]:
    """Diagnoses, procedures, results and orders: table, time, row and list price."""
    version = visit.stay.version
    for code, onset in visit.diagnoses(version):
        yield "diagnoses_icd", onset, (code, version, onset), DIAGNOSIS
    for procedure, time in visit.done:
        row: Row = (procedure.in_edition(version), version, time)
        yield "procedures_icd", time, row, procedure.price
    for result in visit.results:
        lab = result.lab
        row = (lab.itemid, result.time, result.value, lab.unit)
        yield "labevents", result.time, row, lab.price
    for order in visit.orders:
        row = (order.start, order.stop, order.name, order.dose, order.unit, order.route)
        yield "prescriptions", order.start, row, order.price


def _stays_and_cultures(visit: Visit, ids: Row, numbers: Numbers) -> Iterator[TableRow]:
    for culture in visit.cultures:
        row = (*ids, culture.time, culture.specimen, culture.test, culture.organism)
        # A culture has a row for every tested antibiotic, which this layout does not name.
        for _ in range(max(1, len(culture.susceptibilities))):
            yield _numbered(numbers, "microbiologyevents", row)
    for transfer in visit.transfers:
        shifted = (transfer.number, transfer.kind, transfer.unit, transfer.came, transfer.left)
        yield _numbered(numbers, "transfers", (*ids, *shifted))


def _intensive(visit: Visit, ids: Row, numbers: Numbers) -> Iterator[TableRow]:
    for care in visit.intensive:
        row = (*ids, care.number, care.unit, care.unit, care.came, care.left)
        yield _numbered(numbers, "icustays", row)
    stays = [care.number for care in visit.intensive]
    for reading in visit.readings:
        unit = reading.unit.lower() if reading.unit else None
        charted = (stays[reading.episode], reading.item, reading.time, reading.value, unit)
        yield _numbered(numbers, "chartevents", (*ids, *charted))
    for name, volumes in (("inputevents", visit.intake), ("outputevents", visit.output)):
        for volume in volumes:
            amount = (stays[volume.episode], volume.time, volume.item, volume.volume, "ml")
            yield _numbered(numbers, name, (*ids, *amount))


def _numbered(numbers: Numbers, name: str, row: tuple[Value, ...]) -> TableRow:
    return name, (numbers.take(name), *row)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


_SEQUENCES = {table.name: {"row_id": table.name} for table in load_schema(SCHEMA).tables}
EHRSQL_MIMIC_IV = Layout(
    schema=SCHEMA,
    numbered=_SEQUENCES | {"cost": {"row_id": "cost", "event_id": "=event_type"}},
    lookups=_lookups,
    rows=_rows,
)
