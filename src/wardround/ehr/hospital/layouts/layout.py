"""Layout of the hospital: conversion of people to rows of one schema."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property
from operator import itemgetter

from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.schema import load_schema

Value = str | int | float | date | datetime | None
Row = tuple[Value, ...]
TableRow = tuple[str, Row]
_NO_VALUE = (None,)


def named_row(schema: str, table: str, values: Mapping[str, Value]) -> TableRow:
    """A row by column names; columns without a value are NULL. Rows are numbered later.

    >>> named_row("mimic_iii", "services", {"subject_id": 1, "curr_service": "MED"})
    ('services', (1, None, None, None, 'MED'))
    """
    empty = _empty_row(schema, table)
    row = {**empty, **values}
    if len(row) != len(empty):
        raise KeyError(f"{table} has no column {', '.join(sorted(values.keys() - empty.keys()))}")
    return table, tuple(row.values())


@cache
def _empty_row(schema: str, table: str) -> dict[str, Value]:
    columns = (column.name for column in load_schema(schema).table(table).columns)
    return dict.fromkeys(column for column in columns if column != "row_id")


class RowWriter:
    """Writes the rows of a large table from the values of some of its columns; others are NULL.

    Checks columns once, not at every row as `named_row` does.

    Args:
        schema: the schema.
        table: the table.
        columns: the columns that have values, in the order of the values.
        numbered_later: leading columns of the table that the rows do not have yet.

    >>> service = RowWriter("mimic_iii", "services", "subject_id", "curr_service")
    >>> service(1, "MED")
    ('services', (1, None, None, None, 'MED'))
    """

    def __init__(self, schema: str, table: str, *columns: str, numbered_later: int = 0) -> None:
        self._schema = schema
        self._table = table
        self._columns = columns
        self._numbered_later = numbered_later

    def __call__(self, *values: Value) -> TableRow:
        """The table and a row of it."""
        if len(values) != len(self._columns):
            raise TypeError(f"{len(values)} values for {len(self._columns)} columns")
        return self._table, self._arranged(values + _NO_VALUE)

    @cached_property
    def _arranged(self) -> Callable[[Row], Row]:
        """Puts values, the last of which is None, in the order of the table."""
        table = list(_empty_row(self._schema, self._table))[self._numbered_later :]
        if unknown := set(self._columns) - set(table):
            raise KeyError(f"{self._table} has no column {', '.join(sorted(unknown))}")
        positions = {column: position for position, column in enumerate(self._columns)}
        return itemgetter(*(positions.get(column, len(positions)) for column in table))


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
