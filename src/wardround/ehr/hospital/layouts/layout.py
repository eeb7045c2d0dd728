"""Layout of the hospital: conversion of people to rows of one schema."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from wardround.ehr.hospital.patient_record import PatientRecord

Value = str | int | float | date | datetime | None
Row = tuple[Value, ...]
TableRow = tuple[str, Row]


class Numbers:
    """Sequences of database-wide numbers.

    Each batch of people is numbered from 0; the numbers of earlier batches are added when batches
    are combined, so that numbers do not depend on batching.
    """

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()

    def take(self, sequence: str) -> int:
        """The next number of a sequence."""
        number = self.used[sequence]
        self.used[sequence] = number + 1
        return number


@dataclass(frozen=True)
class Layout:
    """The conversion of people to rows of one schema.

    Attributes:
        schema: The schema.
        numbered: The sequence of each numbered column, by table and column; "=column" if another
            column of the row names the sequence.
        lookups: The rows of the lookup tables.
        rows: One person's rows of all other tables, in the order of the schema's columns.
        notes: One person's rows of the note tables, if the layout has them; written on request.
        note_tables: The tables of the notes.
    """

    schema: str
    numbered: Mapping[str, Mapping[str, str]]
    lookups: Callable[[Numbers], Iterator[TableRow]]
    rows: Callable[[PatientRecord, Numbers], Iterator[TableRow]]
    notes: Callable[[PatientRecord], Iterator[TableRow]] | None = None
    note_tables: tuple[str, ...] = ()
