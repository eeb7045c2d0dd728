"""OMOP 5.4: vocabulary and units, and one person's rows of the clinical tables."""

from collections.abc import Iterator
from datetime import date, datetime

from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow
from wardround.ehr.hospital.layouts.mimic_iv.layout import YEARS
from wardround.ehr.hospital.layouts.mimic_iv.notes import note_rows
from wardround.ehr.hospital.layouts.omop import concepts, events, stays
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.hospital.people import YEAR

SCHEMA = "omop_5_4"
_ENGLISH = 4180186
_TITLES = {"DS": "Discharge summary", "RR": "Radiology report"}
# More notes than a person has.
_NOTES_OF_A_PERSON = 10_000
_NUMBERED = {"observation_period": "observation_period_id", **events.NUMBERED}


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    made = date(YEAR, 12, 31)
    about = ("Synthetic hospital", concepts.OWN, concepts.OWN, "Synthetic patients only", None)
    yield "cdm_source", (*about, None, made, made, "5.4", concepts.UNKNOWN, concepts.OWN)
    yield from concepts.vocabulary_rows()
    yield from stays.lookup_rows()


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    """A person's rows; their dates are those of layout `mimic_iv`."""
    by, positions = date_shift(record.person, *YEARS), date_positions(SCHEMA)
    yield stays.person_row(record, by)
    for name, row in _unshifted_rows(record, numbers):
        yield name, shifted(row, positions[name], by)


def _unshifted_rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    yield from stays.rows(record, numbers)
    for visit in record.visits:
        yield from events.rows(visit, numbers)


def _notes(record: PatientRecord) -> Iterator[TableRow]:
    first = record.person.index * _NOTES_OF_A_PERSON + 1
    written = note_rows.rows(record, date_shift(record.person, *YEARS))
    for number, (_, row) in enumerate(written, start=first):
        _, subject, hadm_id, kind, _, charted, _, text = row
        about = (stays.RECORD, concepts.UNKNOWN, _TITLES[str(kind)], text)
        language = (concepts.UNKNOWN, _ENGLISH)
        day = charted.date() if isinstance(charted, datetime) else charted
        source = (None, hadm_id, None, kind, None, None)
        yield "note", (number, subject, day, charted, *about, *language, *source)


OMOP = Layout(
    schema=SCHEMA,
    numbered={table: {column: table} for table, column in _NUMBERED.items()},
    lookups=_lookups,
    rows=_rows,
    notes=_notes,
    note_tables=("note",),
)
