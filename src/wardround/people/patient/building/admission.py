"""An admission's record as a memory is built from it: the note and the coded records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Self

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database, QueryError, quote_text
from wardround.ehr.fhir.mimic.notes import sections
from wardround.ehr.records import RecordMap, dialect_of, record_map, view

# Queries of record views; each is of a stay's key, and `coded` of a patient's.
_NOTES = """
SELECT n.text FROM ({note}) n WHERE n.admission = {id} AND n.name IN ({names})
ORDER BY n.time, LENGTH(n.record), n.record
"""
_PRESCRIBED = "SELECT DISTINCT d.name FROM ({drug}) d WHERE d.admission = {id} ORDER BY d.name"
_DIAGNOSES = """
SELECT d.name FROM ({diagnosis}) d WHERE d.admission = {id} AND d.name IS NOT NULL ORDER BY d.rank
"""
_CODED = """
SELECT DISTINCT d.name FROM ({diagnosis}) d WHERE d.patient = {id} AND d.name IS NOT NULL
ORDER BY d.name
"""
_VALUES = """
SELECT l.name, l.code, l.unit, l.time, l.value, l.flag FROM ({lab}) l
WHERE l.admission = {id} AND l.value IS NOT NULL AND l.specimen = 'Blood'
ORDER BY l.name, l.code, l.time, l.record
"""
_STAYS = """
SELECT a.patient, a.admission FROM ({admission}) a
WHERE a.admission IN (SELECT n.admission FROM ({note}) n WHERE n.name IN ({names}))
ORDER BY a.patient, a.time DESC
"""
# The kinds of record that memories are built from, with the columns that not every layout has.
_NEEDED = {"admission": "", "note": "name", "drug": "", "diagnosis": "rank", "lab": "specimen"}


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
    """The record of an admission.

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
        UserError: the database has no notes or other records needed, or no note of this admission.
    """
    chart = _Chart.of(database)
    notes = chart.column(_NOTES, hadm_id)
    if not notes:
        raise UserError(f"The admission {hadm_id} has no discharge summary; choose another one.")
    values = tuple(
        Measured(str(label), int(code or 0), str(unit or ""), str(time), float(value or 0),
                 str(flag or ""))
        for label, code, unit, time, value, flag in chart.rows(_VALUES, hadm_id)
    )  # fmt: skip
    return Admission(
        subject_id,
        hadm_id,
        notes[-1],
        tuple(chart.column(_PRESCRIBED, hadm_id)),
        tuple(chart.column(_DIAGNOSES, hadm_id)),
        tuple(chart.column(_CODED, subject_id)),
        values,
    )


def last_admissions(database: Database) -> dict[int, int]:
    """The newest admission with a discharge summary of each patient, by subject_id.

    Raises:
        UserError: the database lacks records that memories are built from.
    """
    newest: dict[int, int] = {}
    for subject_id, hadm_id in _Chart.of(database).rows(_STAYS):
        newest.setdefault(int(subject_id or 0), int(hadm_id or 0))
    return newest


@lru_cache(1)
def _record_map(columns: tuple[tuple[str, tuple[str, ...]], ...]) -> RecordMap:
    """The record map of the last database, of which many admissions are read one by one."""
    return record_map(dict(columns)) or RecordMap("", {})


@dataclass(frozen=True)
class _Chart:
    """The records of a database, as views."""

    database: Database
    views: Mapping[str, str]

    @classmethod
    def of(cls, database: Database) -> Self:
        """The records of a database by the map of its layout.

        Raises:
            UserError: a kind of record is missing.
        """
        tables = ((table, database.columns(table)) for table in database.tables())
        columns = tuple((table, tuple(each.name for each in infos)) for table, infos in tables)
        records, dialect = _record_map(columns), dialect_of(database)
        if missing := [kind for kind, name in _NEEDED.items() if not records.has(kind, name)]:
            raise UserError(
                f"{database.url} has no {missing[0]!r} records that memories can be built from; "
                "they need MIMIC-IV with its notes."
            )
        views = {kind: view(records, kind, dialect) for kind in _NEEDED}
        names = records.texts("note", "name", "discharge")
        return cls(database, {**views, "names": ", ".join(map(quote_text, names))})

    def column(self, sql: str, id: int) -> list[str]:
        """The first column of a query."""
        return [str(row[0]) for row in self.rows(sql, id)]

    def rows(self, sql: str, id: int = 0) -> Iterator[tuple[Cell, ...]]:
        """The rows of a query over the views."""
        try:
            yield from self.database.execute(sql.format(id=int(id), **self.views), rows=None).rows
        except QueryError as error:
            raise UserError(f"{self.database.url} cannot be read: {error}") from error
