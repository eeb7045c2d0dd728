"""Parallel generation of people's rows, in an order independent of the number of processes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from wardround.core.process_pool import results_in_order
from wardround.ehr.hospital.columns import Columns, columns_of
from wardround.ehr.hospital.layouts.ehrsql_mimic_iv import EHRSQL_MIMIC_IV
from wardround.ehr.hospital.layouts.eicu.layout import EICU
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, Row, TableRow
from wardround.ehr.hospital.layouts.mimic_iii.layout import MIMIC_III
from wardround.ehr.hospital.layouts.mimic_iv.layout import MIMIC_IV
from wardround.ehr.hospital.layouts.omop.layout import OMOP
from wardround.ehr.hospital.patient_record import PatientRecord, patient_record
from wardround.ehr.schema import (
    NOTE_TABLES,
    Table,
    load_renaming,
    load_schema,
    schema_names,
)

LAYOUTS = {layout.schema: layout for layout in (EHRSQL_MIMIC_IV, EICU, MIMIC_III, MIMIC_IV, OMOP)}


@cache
def schemas() -> tuple[str, ...]:
    """The supported schemas, including renamed ones."""
    return tuple(name for name in schema_names() if _original(name) in LAYOUTS)


@cache
def layout_of(schema: str) -> Layout:
    """The layout of a schema, or of the schema it renames.

    Raises:
        KeyError: If the schema is not supported.
    """
    return LAYOUTS[_original(schema)]


@cache
def tables_of(schema: str) -> tuple[Table, ...]:
    """The tables that a hospital in a schema can have, notes last if they are released apart."""
    notes = layout_of(schema).note_tables
    return (
        *load_schema(schema).tables,
        *(table for table in NOTE_TABLES if table.name in notes),
    )


def _original(schema: str) -> str:
    names = load_renaming(schema)
    return names.of if names else schema


# People in a batch: large enough to amortize transfer, small enough for memory.
PEOPLE_OF_A_BATCH = 50


@dataclass(frozen=True)
class Batch:
    """Rows of some people by table, and the count of numbers used from each sequence."""

    people: int
    tables: Mapping[str, Columns]
    used: Mapping[str, int]


@dataclass(frozen=True)
class Extract:
    """The part of a hospital that is built.

    Attributes:
        tables: The layout's tables; None for all without notes.
        enriched: Conditions that are more frequent than usual.
    """

    tables: frozenset[str] | None = None
    enriched: frozenset[str] = frozenset()

    def has(self, table: str) -> bool:
        """True if the table is built."""
        return self.tables is None or table in self.tables

    def has_notes(self, layout: Layout) -> bool:
        """True if a table of notes is built."""
        return self.tables is not None and not self.tables.isdisjoint(layout.note_tables)


WHOLE = Extract()


def lookup_batch(layout: Layout, extract: Extract = WHOLE) -> Batch:
    """The rows of the lookup tables."""
    numbers = Numbers()
    lines = (line for line in layout.lookups(numbers) if extract.has(line[0]))
    return _batch(layout, 0, lines, numbers)


def people_batches(
    layout: Layout,
    seed: int,
    patients: int,
    workers: int,
    extract: Extract = WHOLE,
    indices: Sequence[int] = (),
) -> Iterator[Batch]:
    """The rows of all people in batches, in order.

    Args:
        layout: The layout of the rows.
        seed: The random seed.
        patients: Number of people.
        workers: Number of processes; 1 uses this one.
        extract: The tables, and conditions that are more frequent than usual.
        indices: The indices of the people that are wanted; empty for all.
    """
    people = indices or range(patients)
    starts = range(0, len(people), PEOPLE_OF_A_BATCH)
    spans = [people[start : start + PEOPLE_OF_A_BATCH] for start in starts]
    parts = [(layout.schema, seed, span, extract) for span in spans]
    if min(workers, len(parts)) == 1:
        yield from (people_batch(*part) for part in parts)
        return
    for _, batch in results_in_order(people_batch, parts, workers):
        yield batch


def people_batch(schema: str, seed: int, people: Sequence[int], extract: Extract = WHOLE) -> Batch:
    """The rows of the people with some indices, in their order."""
    layout, numbers = layout_of(schema), Numbers()
    lines = (
        line
        for index in people
        for line in _rows(layout, patient_record(seed, index, extract.enriched), numbers, extract)
        if extract.has(line[0])
    )
    return _batch(layout, len(people), lines, numbers)


def _rows(
    layout: Layout, record: PatientRecord, numbers: Numbers, extract: Extract
) -> Iterator[TableRow]:
    yield from layout.rows(record, numbers)
    if layout.notes and extract.has_notes(layout):
        yield from layout.notes(record)


@cache
def table_of(schema: str, name: str) -> Table:
    """A table of a schema, cached."""
    return next(table for table in tables_of(schema) if table.name == name)


def _batch(layout: Layout, people: int, lines: Iterator[TableRow], numbers: Numbers) -> Batch:
    rows: dict[str, list[Row]] = {}
    for table, row in lines:
        rows.setdefault(table, []).append(row)
    tables = {
        name: columns_of(table_of(layout.schema, name), table_rows)
        for name, table_rows in rows.items()
    }
    return Batch(people, tables, numbers.used)
