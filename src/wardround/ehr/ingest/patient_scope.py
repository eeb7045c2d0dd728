"""A copy of a database that holds some patients' rows only, for people who may see no others.

What is not in the file can be reached by no query, catalogue or file name.
"""

import shutil
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import adbc_driver_manager
import duckdb

from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.core.private_files import create_file
from wardround.ehr.database.compaction import compact
from wardround.ehr.database.engine import Target, engine_of, write_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.table_reader import column_names
from wardround.ehr.ingest.patient_removal import (
    Identifiers,
    PatientData,
    any_of,
    find_patient_data,
    sql_list,
)
from wardround.ehr.schema import load_schema, quoted, recognise


def scoped_copy(
    location: str, folder: Path, patients: Collection[str], masked: Collection[str] = ()
) -> str:
    """Copy a database without other patients' rows and without the values of some columns.

    A row stays if it has an identifier of the patients and none of anyone else. A table without
    identifying columns stays whole if the layout has it, and is emptied otherwise.

    Args:
        location: A SQLite or DuckDB file.
        folder: A private folder for the copy.
        patients: As `find_patient_data`; empty for all patients.
        masked: Columns as `table.column`, which are NULL in the copy.

    Returns:
        The copy's path.

    Raises:
        UserError: The database is not a file, its layout does not say which rows are whose, a
            patient or column does not exist, or a column may not be NULL.
    """
    copy = _copied_file(location, folder)
    with closing(write_database(copy)) as database:
        _remove_side_stores(database)
        if patients:
            _remove_others(database, patients)
        _mask(database, masked)
        compact(database)
    return copy


def _copied_file(location: str, folder: Path) -> str:
    if is_url(location):
        raise UserError(
            f"Patients and columns of {location} cannot be withheld from a person; serve a SQLite "
            "or DuckDB file, or leave patients and masked out of the users' file."
        )
    source = Path(location).expanduser()
    copy = folder / source.name
    for ending in ("", "-wal", ".wal"):
        original = source.with_name(source.name + ending)
        if original.exists():
            target = folder / original.name
            create_file(target)
            shutil.copyfile(original, target)
    engine_of(str(copy))
    return str(copy)


def _remove_side_stores(database: Target) -> None:
    """Removes what keeps values outside of tables.

    Raises:
        UserError: There are tables outside of the main schema.
    """
    if database.dialect == "sqlite":
        sql = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in database.query(sql):
            database.execute(f"DROP TRIGGER {quoted(str(name))}")
        sql = "SELECT name FROM sqlite_master WHERE name IN ('sqlite_stat1', 'sqlite_stat4')"
        for (name,) in database.query(sql):
            database.execute(f"DROP TABLE {name!s}")
        return
    sql = "SELECT table_name FROM duckdb_tables() WHERE schema_name <> 'main' AND NOT temporary"
    if tables := database.query(sql):
        raise UserError(
            f"Database {database.location} has tables outside of the schema main "
            f"({tables[0][0]!s}), which cannot be withheld from a person; serve "
            "a file without them."
        )


def _remove_others(database: Target, patients: Collection[str]) -> None:
    data = find_patient_data(database, patients)
    own = _unshared(database, data)
    tables = column_names(database, database.tables())
    layout = recognise(tables)
    known = {table.name for table in load_schema(layout).tables} if layout else set()
    for table, columns in data.id_columns.items():
        database.execute(f"DELETE FROM {quoted(table)} WHERE NOT {_own_row(columns, own)}")  # noqa: S608
    for table in tables.keys() - data.id_columns.keys():
        if table.lower() not in known:
            database.execute(f"DELETE FROM {quoted(table)}")  # noqa: S608


def _unshared(database: Target, data: PatientData) -> Identifiers:
    """The identifiers without those, such as stays, that also belong to another patient."""
    own: dict[str, Collection[Cell]] = {}
    for column, cells in data.identifiers.items():
        shared: set[Cell] = set()
        for table, columns in data.id_columns.items():
            higher = columns[: columns.index(column)] if column in columns else ()
            if higher and cells:
                condition = (
                    f"{any_of((column,), {column: cells})} AND NOT {_own_identifiers(higher, own)}"
                )
                sql = f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} WHERE {condition}"  # noqa: S608
                shared.update(row[0] for row in database.query(sql))
        own[column] = [cell for cell in cells if cell not in shared]
    return own


def _own_row(columns: Sequence[str], own: Identifiers) -> str:
    """The condition that a row has an identifier of the patients and none of anyone else."""
    filled = " OR ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
    return f"(({filled}) AND {_own_identifiers(columns, own)})"


def _own_identifiers(columns: Sequence[str], own: Identifiers) -> str:
    """The condition that each identifier of a row is missing or of the patients."""
    return f"({' AND '.join(_missing_or_own(column, own[column]) for column in columns)})"


def _missing_or_own(column: str, cells: Collection[Cell]) -> str:
    name = quoted(column)
    return f"({name} IS NULL OR {name} IN ({sql_list(cells)}))" if cells else f"{name} IS NULL"


def _mask(database: Target, masked: Collection[str]) -> None:
    tables = column_names(database, database.tables())
    known = {f"{table}.{name}".lower() for table, names in tables.items() for name in names}
    for each in masked:
        table, _, column = each.partition(".")
        if each.lower() not in known:
            raise UserError(f"The database has no column {each} to mask; name it as table.column.")
        try:
            database.execute(f"UPDATE {quoted(table)} SET {quoted(column)} = NULL")  # noqa: S608
        except (adbc_driver_manager.IntegrityError, duckdb.ConstraintException) as error:
            raise UserError(
                f"Column {each} cannot be masked, since it may not be NULL; mask another column."
            ) from error
