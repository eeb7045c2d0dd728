"""Opens SQLite files and reads their catalogue."""

import sqlite3
from contextlib import closing
from pathlib import Path

from wardround.ehr.database.file_driver import FileDriver
from wardround.ehr.database.file_format import FileFormat, Query
from wardround.ehr.database.interface import Cell, ColumnInfo, Limits
from wardround.ehr.database.names import quote_name

# Virtual tables, such as full-text indexes, may not be read: some reach other files.
_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    " AND sql NOT LIKE 'CREATE VIRTUAL %' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid"
)


def column_names(location: str) -> dict[str, list[str]]:
    """The column names of each table, read in this process; empty if the file is damaged."""
    path = Path(location).expanduser().absolute()
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            tables = [str(name) for (name,) in connection.execute(_TABLES)]
            sql = "SELECT name FROM pragma_table_info(?)"
            return {t: [str(row[0]) for row in connection.execute(sql, (t,))] for t in tables}
    except sqlite3.Error:  # opening the database says what is wrong with it
        return {}


def _tables(query: Query) -> list[str]:
    return [str(row[0]) for row in query(_TABLES)]


def _columns(query: Query, table: str) -> dict[str, list[ColumnInfo]]:
    quoted_name = quote_name(table)
    keys = query(f"PRAGMA foreign_key_list({quoted_name})")
    references = {row[3]: _reference(row[2], row[4]) for row in keys}
    declared = query(f"PRAGMA table_info({quoted_name})")
    return {table: [_column_info(row, references.get(row[1])) for row in declared]}


def _column_info(row: tuple[Cell, ...], references: str | None) -> ColumnInfo:
    _, name, kind, required, _, key = row
    return ColumnInfo(str(name), str(kind).upper(), not required, int(str(key)), references)


def _reference(table: Cell, column: Cell) -> str:
    return f"{table!s}({column!s})" if column else str(table)


SQLITE = FileFormat(
    dialect="sqlite",
    reading="wardround.ehr.database.sqlite.statements:open_reading",
    writing="wardround.ehr.database.sqlite.statements:open_writing",
    libraries=(),
    logs=("-wal", "-journal"),
    tables=_tables,
    columns=_columns,
)


def open_file(location: str, limits: Limits) -> FileDriver:
    """Open a file for reading."""
    return FileDriver(Path(location).expanduser(), SQLITE, limits)
