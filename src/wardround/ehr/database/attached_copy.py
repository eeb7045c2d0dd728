"""A new database file that gets rows of another, which is attached to it read-only."""

import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from wardround.core.errors import UserError
from wardround.core.private_files import create_file, private_umask
from wardround.ehr.database.duckdb.target import create_database
from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_name, quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Connection: TypeAlias = "sqlite3.Connection | DuckDBPyConnection"

_SQLITE = (
    "PRAGMA page_size = 16384",
    "PRAGMA main.journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = MEMORY",
)
# No virtual tables, and none that hold their content.
_SQLITE_TABLES = (
    "SELECT m.name FROM source.sqlite_master m JOIN pragma_table_list l ON l.name = m.name"
    " WHERE l.schema = 'source' AND l.type = 'table' AND m.type = 'table'"
    " AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY m.rowid"
)
_DUCKDB_TABLES = (
    "SELECT table_name FROM duckdb_tables()"
    " WHERE database_name = 'source' AND schema_name = 'main' ORDER BY table_oid"
)
# Indexes on columns only: expressions and conditions may hold values.
_SQLITE_INDEXES = (
    "SELECT i.name, c.name FROM pragma_index_list({0}, 'source') i,"
    " pragma_index_info(i.name, 'source') c WHERE i.origin = 'c' AND i.partial = 0"
    " ORDER BY i.name, c.seqno"
)
_REFERENCE = re.compile(r"\w+(\(\w+\))?\Z")


@dataclass(frozen=True, slots=True)
class FileCopy:
    """A private copy that is a file, readable by its owner only; see `PrivateCopy`.

    Attributes:
        original: the database that the rows come from; nothing is written to it.
        path: the new file.
        dialect: "sqlite" or "duckdb", of both.
    """

    original: Path
    path: Path
    dialect: str

    @property
    def location(self) -> str:
        """The copy's path."""
        return str(self.path)

    @contextmanager
    def fill(self) -> Iterator["AttachedCopy"]:
        """Fills the copy in one transaction."""
        import duckdb

        connect = _sqlite if self.dialect == "sqlite" else _duckdb
        try:
            connection = connect(self.original, self.path)
            try:
                connection.execute("BEGIN")
                yield AttachedCopy(connection, self.dialect)
                connection.execute("COMMIT")
            finally:
                with private_umask():
                    connection.close()
        except (sqlite3.Error, duckdb.Error) as error:
            raise UserError(
                f"The rows of {self.original} that a person may see cannot be copied "
                f"({type(error).__name__}); close other programs that write to it, and check it "
                "with wardround doctor."
            ) from None

    def is_there(self) -> bool:
        """True unless the file was removed."""
        return self.path.exists()

    def close(self) -> None:
        """Removes the file."""
        self.path.unlink(missing_ok=True)


def sqlite_copy(location: str, folder: Path) -> FileCopy:
    """An empty copy of a SQLite file in a folder."""
    return _file_copy(location, folder, "sqlite")


def duckdb_copy(location: str, folder: Path) -> FileCopy:
    """An empty copy of a DuckDB file in a folder."""
    return _file_copy(location, folder, "duckdb")


@dataclass(frozen=True, slots=True)
class AttachedCopy:
    """A copy being filled, see `RowCopy`; the original's tables are in `source`.

    Attributes:
        connection: the connection to both.
        dialect: "sqlite" or "duckdb".
    """

    connection: Connection
    dialect: str

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a query."""
        return self.connection.execute(sql).fetchall()

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        self.connection.execute(sql)

    def source(self, table: str) -> str:
        """The original's table in SQL."""
        return f"source.{quote_name(table)}"

    def source_tables(self) -> list[str]:
        """The tables of the original, in the order in which they were made; no views."""
        sql = _SQLITE_TABLES if self.dialect == "sqlite" else _DUCKDB_TABLES
        return [str(name) for (name,) in self.query(sql)]

    def copy_rows(
        self, table: str, columns: Sequence[ColumnInfo], hidden: Collection[str], where: str
    ) -> None:
        """Makes a table of the original's rows that meet a condition."""
        self.execute(f"CREATE TABLE {quote_name(table)} ({self._definition(columns, hidden)})")
        cells = ", ".join("NULL" if c.name in hidden else quote_name(c.name) for c in columns)
        rows = f"SELECT {cells} FROM {self.source(table)} WHERE {where}"  # noqa: S608
        self.execute(f"INSERT INTO {quote_name(table)} {rows}")
        if self.dialect == "sqlite":
            self._index(table)
            return
        for column in columns:
            if reference := _reference(column):
                self.execute(
                    f"COMMENT ON COLUMN {quote_name(table)}.{quote_name(column.name)}"
                    f" IS 'references {reference}'"
                )

    def _definition(self, columns: Sequence[ColumnInfo], hidden: Collection[str]) -> str:
        lines = [
            f"{quote_name(c.name)} {_type(c.type)}"
            + ("" if c.nullable or c.name in hidden else " NOT NULL")
            for c in columns
        ]
        key = sorted((c.primary_key, c.name) for c in columns if c.primary_key)
        if key and not any(name in hidden for _, name in key):
            lines.append(f"PRIMARY KEY ({', '.join(quote_name(name) for _, name in key)})")
        if self.dialect == "sqlite":  # others would enforce it, and a row may refer to one left out
            lines += [
                f"FOREIGN KEY ({quote_name(c.name)}) REFERENCES {reference}"
                for c in columns
                if (reference := _reference(c))
            ]
        return ", ".join(lines)

    def _index(self, table: str) -> None:
        indexes: dict[Cell, list[str | None]] = {}
        for name, column in self.query(_SQLITE_INDEXES.format(quote_text(table))):
            indexes.setdefault(name, []).append(None if column is None else str(column))
        for number, columns in enumerate(indexes.values()):
            if names := [name for name in columns if name is not None]:
                if len(names) < len(columns):
                    continue
                listed = ", ".join(map(quote_name, names))
                index = quote_name(f"{table}_{number}")
                self.execute(f"CREATE INDEX {index} ON {quote_name(table)} ({listed})")


def _file_copy(location: str, folder: Path, dialect: str) -> FileCopy:
    original = Path(location).expanduser()
    return FileCopy(original, folder / original.name, dialect)


def _sqlite(source: Path, copy: Path) -> sqlite3.Connection:
    create_file(copy)
    connection = sqlite3.connect(copy.absolute().as_uri(), uri=True, isolation_level=None)
    try:
        for setting in _SQLITE:
            connection.execute(setting)
        connection.execute(
            f"ATTACH {quote_text(f'{source.absolute().as_uri()}?mode=ro')} AS source"
        )
    except BaseException:
        connection.close()
        raise
    return connection


def _duckdb(source: Path, copy: Path) -> "DuckDBPyConnection":
    import duckdb

    create_database(copy)
    connection = duckdb.connect(copy)
    try:
        connection.execute(f"ATTACH {quote_text(str(source.absolute()))} AS source (READ_ONLY)")
    except BaseException:
        connection.close()
        raise
    return connection


def _type(declared: str) -> str:
    """The type of a column; an enumeration would list values of rows that are left out."""
    return "VARCHAR" if "ENUM(" in declared else declared


def _reference(column: ColumnInfo) -> str:
    """The table and column that a column refers to, if they have plain names."""
    reference = column.references or ""
    return reference if _REFERENCE.match(reference) else ""
