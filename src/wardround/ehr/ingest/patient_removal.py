"""Removal of all records of given patients from a database.

Needed for tasks that were written from one patient's record: removing the patient before a test
prevents answers by looking the patient up.
"""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.engine import TableSource, Target
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.table_reader import column_names
from wardround.ehr.schema import load_schema, quoted, recognise

# Keeps statements below SQLite's maximum length.
MAX_IDENTIFIERS = 20_000

Identifiers = Mapping[str, Collection[Cell]]


@dataclass(frozen=True)
class RowCounts:
    """Counts of the patients' rows in one table.

    Attributes:
        rows: Rows with an identifier of the patients.
        shared: Number of these rows that also belong to another patient; they are removed too.
    """

    table: str
    rows: int
    shared: int = 0


@dataclass(frozen=True)
class PatientData:
    """The records of some patients in a database.

    Attributes:
        identifiers: Identifiers by column: persons, stays and transfers.
        id_columns: Identifying columns by table, from the person down.
        tables: Row counts of the tables with records.
    """

    identifiers: Identifiers
    id_columns: Mapping[str, tuple[str, ...]]
    tables: tuple[RowCounts, ...]


def identifying_columns(columns: Iterable[str]) -> list[str]:
    """The identifying columns among a database's columns, from the person down.

    >>> identifying_columns(["charttime", "stay_id", "subject_id"])
    ['subject_id', 'stay_id']
    """
    names = set(columns)
    return [c for levels in _layouts() if levels[0] in names for c in levels if c in names]


def find_patient_data(database: TableSource, patients: Collection[str]) -> PatientData:
    """Find the records of some patients without changing anything.

    Tables without a person column are searched by the patients' stays.

    Args:
        database: A database of MIMIC, eICU or one of their prepared and renamed layouts, on any
            engine; tables outside the schema are searched too.
        patients: Their `subject_id`, `uniquepid` or its renamed equivalent.

    Raises:
        UserError: If the layout is unknown, a patient does not exist, or there are more than
            `MAX_IDENTIFIERS` identifiers.
    """
    tables = column_names(database, database.tables())
    levels = id_levels(database.location, tables)
    id_columns = {
        table: columns
        for table in _children_first(tables)
        if (columns := _present(levels, tables[table]))
    }
    identifiers: dict[str, list[Cell]] = {
        levels[0]: _persons(database, levels[0], id_columns, patients)
    }
    for column in levels[1:]:
        identifiers[column] = _dependent_ids(database, column, id_columns, identifiers)
    if sum(map(len, identifiers.values())) > MAX_IDENTIFIERS:
        raise UserError(
            f"These patients have over {MAX_IDENTIFIERS:,} stays; remove them in several runs."
        )
    counts = (
        _row_counts(database, table, columns, identifiers) for table, columns in id_columns.items()
    )
    return PatientData(identifiers, id_columns, tuple(count for count in counts if count.rows))


def remove_patient_data(database: Target, data: PatientData) -> None:
    """Delete the patients' rows of all tables in one transaction, then verify that none remains.

    Raises:
        InfraError: If rows are left because of a concurrent writer.
    """
    with database.transaction():
        for count in data.tables:
            condition = any_of(data.id_columns[count.table], data.identifiers)
            database.execute(f"DELETE FROM {quoted(count.table)} WHERE {condition}")  # noqa: S608
    remaining = (
        _row_counts(database, table, columns, data.identifiers)
        for table, columns in data.id_columns.items()
    )
    if tables := [count.table for count in remaining if count.rows]:
        raise InfraError(
            f"Rows of these patients are in {', '.join(tables)} again; another program writes to "
            f"{database.location}, stop it and remove them again."
        )


@cache
def _layouts() -> list[list[str]]:
    text = files("wardround.ehr.ingest").joinpath("identifiers.toml").read_text("utf-8")
    return list(tomllib.loads(text).values())


def id_levels(location: str, tables: Mapping[str, Sequence[str]]) -> list[str]:
    """The identifying columns of a database's layout, from the person down.

    Raises:
        UserError: No layout fits, or several do.
    """
    names = {column.lower() for columns in tables.values() for column in columns}
    matching = [levels for levels in _layouts() if levels[0] in names]
    if len(matching) != 1:
        persons = ", ".join(levels[0] for levels in _layouts())
        raise UserError(
            f"Database {location} does not say which rows are whose: its tables need one "
            f"of the columns {persons}."
        )
    return matching[0]


def _present(levels: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    present = {column.lower() for column in columns}
    return tuple(column for column in levels if column in present)


def _children_first(tables: Mapping[str, Sequence[str]]) -> list[str]:
    """The tables in an order of deletion that satisfies enforced foreign keys."""
    schema = recognise(tables)
    order = [table.name for table in load_schema(schema).tables] if schema else []
    rank = {name: number for number, name in enumerate(order)}
    return sorted(tables, key=lambda table: -rank.get(table.lower(), len(rank)))


def _persons(
    database: TableSource,
    column: str,
    id_columns: Mapping[str, tuple[str, ...]],
    patients: Collection[str],
) -> list[Cell]:
    """The patients as stored in the database, as numbers or text."""
    tables = [table for table, columns in id_columns.items() if column in columns]
    texts = sql_list(sorted(set(patients)))
    persons = _distinct(database, column, tables, f"CAST({quoted(column)} AS VARCHAR) IN ({texts})")
    if absent := sorted(set(patients) - {str(cell) for cell in persons}):
        raise UserError(
            f"Database {database.location} has no {column} {', '.join(absent)}; nothing was "
            "changed."
        )
    return persons


def _dependent_ids(
    database: TableSource,
    column: str,
    id_columns: Mapping[str, tuple[str, ...]],
    identifiers: Identifiers,
) -> list[Cell]:
    """The identifiers of a lower level, such as stays, that belong to the higher ones."""
    cells: set[Cell] = set()
    for table, columns in id_columns.items():
        higher = columns[: columns.index(column)] if column in columns else ()
        if higher:
            condition = f"{quoted(column)} IS NOT NULL AND {any_of(higher, identifiers)}"
            cells.update(_distinct(database, column, [table], condition))
    return sorted(cells, key=str)


def _distinct(
    database: TableSource, column: str, tables: Sequence[str], condition: str
) -> list[Cell]:
    cells: set[Cell] = set()
    for table in tables:
        sql = f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} WHERE {condition}"  # noqa: S608
        cells.update(row[0] for row in database.query(sql))
    return sorted(cells, key=str)


def _row_counts(
    database: TableSource, table: str, columns: tuple[str, ...], identifiers: Identifiers
) -> RowCounts:
    rows = _count(database, table, any_of(columns, identifiers))
    person = next(iter(identifiers))
    if not rows or columns[0] != person or not columns[1:]:
        return RowCounts(table, rows)
    shared = f"NOT {any_of((person,), identifiers)} AND {any_of(columns[1:], identifiers)}"
    return RowCounts(table, rows, _count(database, table, shared))


def _count(database: TableSource, table: str, condition: str) -> int:
    sql = f"SELECT count(*) FROM {quoted(table)} WHERE {condition}"  # noqa: S608
    return int(str(database.query(sql)[0][0]))


def any_of(columns: Sequence[str], identifiers: Identifiers) -> str:
    """The SQL condition that a row has one of the identifiers."""
    present = [column for column in columns if identifiers.get(column)]
    tests = (f"{quoted(column)} IN ({sql_list(identifiers[column])})" for column in present)
    return f"({' OR '.join(tests) or '1 = 0'})"


def sql_list(cells: Collection[Cell]) -> str:
    """The cells as SQL literals, separated by commas."""
    return ", ".join(quote_text(cell) if isinstance(cell, str) else str(cell) for cell in cells)
