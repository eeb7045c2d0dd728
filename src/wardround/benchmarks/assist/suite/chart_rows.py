"""The part of the made database that a patient remembers: note, diagnosis and values."""

import re
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from wardround.benchmarks.assist.suite.record import made_database

_DRUG = re.compile(
    r"^\d+\. (.+?) [\d.,]+ (?:mg|mcg|g|mL|mEq|UNIT|TAB|CAP|PUFF|NEB|INH|DROP|PKT)\b", re.MULTILINE
)
_CONTINUED = re.compile(r"^# (.+?): continued (.+)\.$", re.MULTILINE)
_LISTED = re.compile(r", | and ")
_NOTE = "SELECT text FROM discharge WHERE hadm_id = ?"
_DIAGNOSIS = """
    SELECT long_title
    FROM diagnoses_icd JOIN d_icd_diagnoses USING (icd_code, icd_version)
    WHERE hadm_id = ? ORDER BY seq_num LIMIT 1
"""
_VALUES = """
    SELECT label, itemid, valueuom, charttime, valuenum, flag
    FROM labevents JOIN d_labitems USING (itemid)
    WHERE hadm_id = ? AND coalesce(storetime, charttime) <= ?
        AND valuenum IS NOT NULL AND fluid = 'Blood'
    ORDER BY label, itemid, charttime, labevent_id
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """A laboratory value."""

    label: str
    itemid: int
    unit: str | None
    time: datetime
    value: float
    flag: str | None


@dataclass(frozen=True, slots=True)
class ChartRows:
    """The rows of an admission in the database.

    Attributes:
        note: the discharge note.
        diagnosis: the title of the main diagnosis.
        values: the laboratory values in blood, by label and time.
    """

    note: str
    diagnosis: str
    values: tuple[Measured, ...]

    def home_drugs(self) -> list[str]:
        """The drugs that the patient took before the admission."""
        return _DRUG.findall(self._between("Medications on Admission:", "Discharge Medications:"))

    def indications(self) -> dict[str, str]:
        """The conditions that drugs were continued for, by drug."""
        return {
            drug: condition
            for condition, drugs in _CONTINUED.findall(self.note)
            for drug in _LISTED.split(drugs)
        }

    def history(self) -> list[str]:
        """The conditions of the past medical history."""
        lines = self._lines("Past Medical History:", "Social History:")
        return [line for line in lines if ":" not in line]

    def social_history(self) -> list[str]:
        """Home, work, tobacco, alcohol and drugs, a line each."""
        return self._lines("Social History:", "Functional status:")

    def line(self, name: str) -> str:
        """The text behind a name at the start of a line, such as "Adherence"."""
        found = re.search(rf"^{name}: (.+?)\.? *$", self.note, re.MULTILINE)
        return found[1] if found else ""

    def letter(self) -> str:
        """The sentence in which the discharge letter names the illness."""
        return self._between("Dear ___,", ".").strip() + "."

    def _lines(self, begin: str, end: str) -> list[str]:
        lines = self._between(begin, end).split("\n")
        return [line.strip() for line in lines if line.strip()]

    def _between(self, begin: str, end: str) -> str:
        return self.note.partition(begin)[2].partition(end)[0]


def chart_rows(admission: int, clock: datetime) -> ChartRows:
    """The rows of an admission; its values are the results that are out at an instant.

    Args:
        admission: the hadm_id.
        clock: the instant, in the hospital's own time.
    """
    import duckdb

    with closing(duckdb.connect(str(made_database()), read_only=True)) as connection:
        (note,) = connection.execute(_NOTE, [admission]).fetchall()
        (title,) = connection.execute(_DIAGNOSIS, [admission]).fetchall()
        values = connection.execute(_VALUES, [admission, clock]).fetchall()
    return ChartRows(note[0], title[0], tuple(Measured(*row) for row in values))
