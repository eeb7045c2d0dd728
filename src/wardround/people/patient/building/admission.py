"""An admission's record as a memory is built from it: the note and rows of MIMIC-IV tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database, QueryError
from wardround.ehr.fhir.mimic.notes import sections

_NEEDED = ("admissions", "discharge", "prescriptions", "diagnoses_icd", "labevents")
_NOTE = "SELECT text FROM discharge WHERE hadm_id = {id} ORDER BY note_seq"
_PRESCRIBED = "SELECT DISTINCT drug FROM prescriptions WHERE hadm_id = {id} ORDER BY drug"
_DIAGNOSES = """
SELECT long_title FROM diagnoses_icd JOIN d_icd_diagnoses USING (icd_code, icd_version)
WHERE hadm_id = {id} ORDER BY seq_num
"""
_CODED = """
SELECT DISTINCT long_title FROM diagnoses_icd JOIN d_icd_diagnoses USING (icd_code, icd_version)
WHERE subject_id = {id} ORDER BY long_title
"""
_VALUES = """
SELECT label, itemid, valueuom, charttime, valuenum, flag
FROM labevents JOIN d_labitems USING (itemid)
WHERE hadm_id = {id} AND valuenum IS NOT NULL AND fluid = 'Blood'
ORDER BY label, itemid, charttime, labevent_id
"""
_STAYS = """
SELECT subject_id, hadm_id FROM admissions WHERE hadm_id IN (SELECT hadm_id FROM discharge)
ORDER BY subject_id, admittime DESC
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """A laboratory value, with its time as text."""

    label: str
    itemid: int
    unit: str
    time: str
    value: float
    flag: str


@dataclass(frozen=True, slots=True)
class Admission:
    """What is recorded of an admission.

    Attributes:
        subject_id: the patient.
        hadm_id: the admission.
        note: the discharge summary.
        prescribed: the drugs of all prescriptions.
        diagnoses: the titles of its coded diagnoses, the main one first.
        coded: the titles of the diagnoses of all the patient's admissions.
        values: numeric results in blood, by label and time.
        sections: the sections of the note by heading (phase 1).
    """

    subject_id: int
    hadm_id: int
    note: str
    prescribed: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    coded: tuple[str, ...] = ()
    values: tuple[Measured, ...] = ()
    sections: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sections", sections(self.note))

    def section(self, heading: str) -> str:
        """A section's text; empty if the note has none of that heading."""
        return self.sections.get(heading, "")


def read_admission(database: Database, subject_id: int, hadm_id: int) -> Admission:
    """Reads an admission.

    Raises:
        UserError: the database has no notes or other tables needed, or no note of this admission.
    """
    check_tables(database)
    notes = _column(database, _NOTE, hadm_id)
    if not notes:
        raise UserError(f"The admission {hadm_id} has no discharge summary; choose another one.")
    values = tuple(
        Measured(str(label), int(itemid or 0), str(unit or ""), str(time), float(value or 0),
                 str(flag or ""))
        for label, itemid, unit, time, value, flag in _rows(database, _VALUES, hadm_id)
    )  # fmt: skip
    return Admission(
        subject_id,
        hadm_id,
        notes[-1],
        tuple(_column(database, _PRESCRIBED, hadm_id)),
        tuple(_column(database, _DIAGNOSES, hadm_id)),
        tuple(_column(database, _CODED, subject_id)),
        values,
    )


def last_admissions(database: Database) -> dict[int, int]:
    """The newest admission with a discharge summary of each patient, by subject_id.

    Raises:
        UserError: the database lacks a table that memories are built from.
    """
    check_tables(database)
    newest: dict[int, int] = {}
    for subject_id, hadm_id in _rows(database, _STAYS):
        newest.setdefault(int(subject_id or 0), int(hadm_id or 0))
    return newest


def check_tables(database: Database) -> None:
    """Checks that a database has what memories are built from.

    Raises:
        UserError: a table is missing.
    """
    tables = {table.lower() for table in database.tables()}
    if missing := [table for table in _NEEDED if table not in tables]:
        raise UserError(
            f"{database.url} lacks the table {missing[0]}; memories need MIMIC-IV with its notes."
        )


def _column(database: Database, sql: str, id: int) -> list[str]:
    return [str(row[0]) for row in _rows(database, sql, id)]


def _rows(database: Database, sql: str, id: int = 0) -> Iterator[tuple[Cell, ...]]:
    try:
        yield from database.execute(sql.format(id=int(id)), rows=None).rows
    except QueryError as error:
        raise UserError(f"{database.url} cannot be read: {error}") from error
