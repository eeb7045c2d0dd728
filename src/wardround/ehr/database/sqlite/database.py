"""SQLite behind the database interface: a pool of read-only connections to one file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from wardround.core.errors import UserError
from wardround.ehr.database.deadline import Deadlines
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.fingerprint import FileFingerprint
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
    Workspace,
)
from wardround.ehr.database.names import find_table, quote_name
from wardround.ehr.database.sqlite.errors import explain_error
from wardround.ehr.database.sqlite.sandbox import Permit, connect

_SCHEMA_SQL = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    " AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid"
)


@dataclass(frozen=True)
class _Pooled:
    connection: sqlite3.Connection
    permit: Permit


class SqliteDatabase:
    """One SQLite file that can be read and not written; see `Database`.

    Statements that run at once each have their own connection, so that none waits for another.
    """

    dialect = "sqlite"

    def __init__(self, path: Path, limits: Limits = Limits()):  # noqa: B008 - it is frozen
        self._path = path
        self._limits = limits
        self._fingerprint = FileFingerprint(path)
        self._deadlines = Deadlines()
        self._lock = Lock()
        self._idle: list[_Pooled] = []
        self._busy: list[_Pooled] = []
        self._closed = False
        self._tables: tuple[str, list[str]] = ("", [])

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._path.stem

    @property
    def url(self) -> str:
        """The file's path."""
        return str(self._path)

    def execute(
        self,
        sql: str,
        *,
        rows: int | None = 100,
        seconds: float = 60.0,
        memory: int | None = None,
    ) -> ResultTable:
        """Run one reading statement; see `Database.execute`."""
        with self._connection() as pooled:
            connection, permit = pooled.connection, pooled.permit
            permit.renew()
            with self._deadlines.within(seconds, connection.interrupt) as deadline:
                try:
                    return self._run(connection, sql, rows)
                except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
                    late = seconds if deadline.expired else None
                    raise explain_error(error, connection, permit, sql, late) from error

    def _run(self, connection: sqlite3.Connection, sql: str, rows: int | None) -> ResultTable:
        cursor = connection.execute(sql)
        try:
            if cursor.description is None:
                raise QueryError(
                    "This is no query: it returns no columns; send one SELECT.", "syntax"
                )
            columns = tuple(column[0] for column in cursor.description)
            kept, truncated = _fetch(cursor, rows, self._limits.result_bytes)
            return ResultTable(columns, kept, truncated)
        finally:
            cursor.close()

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        content, names = self._tables
        if content != self.fingerprint():
            names = [str(row[0]) for row in self.execute(_SCHEMA_SQL, rows=None).rows]
            self._tables = (self.fingerprint(), names)
        return list(names)

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        named = quote_name(find_table(self, table))
        keys = self.execute(f"PRAGMA foreign_key_list({named})", rows=None).rows
        references = {row[3]: _reference(row[2], row[4]) for row in keys}
        declared = self.execute(f"PRAGMA table_info({named})", rows=None).rows
        return [_column_info(row, references.get(row[1])) for row in declared]

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text."""
        return create_table_text(find_table(self, table), self.columns(table))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""
        named = quote_name(find_table(self, table))
        return self.execute(f"SELECT * FROM {named} LIMIT {int(rows)}", rows=rows)  # noqa: S608

    def fingerprint(self) -> str:
        """A hash of the file's bytes, taken again only when size or time changed."""
        return self._fingerprint.value()

    def writable(self) -> Workspace:
        """A copy of one's own."""
        raise UserError(f"Database {self.name!r} gives no workspace yet.")

    def close(self) -> None:
        """Interrupt what runs and close every connection."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for pooled in self._busy:
                pooled.connection.interrupt()
        for pooled in idle:
            pooled.connection.close()

    @contextmanager
    def _connection(self) -> Iterator[_Pooled]:
        pooled = self._take()
        try:
            yield pooled
        finally:
            self._give_back(pooled)

    def _take(self) -> _Pooled:
        with self._lock:
            if self._closed:
                raise UserError(f"Database {self.name!r} is closed; open it again to query it.")
            pooled = self._idle.pop() if self._idle else _Pooled(*connect(self._path, self._limits))
            self._busy.append(pooled)
            return pooled

    def _give_back(self, pooled: _Pooled) -> None:
        with self._lock:
            self._busy.remove(pooled)
            if not self._closed:
                self._idle.append(pooled)
                return
        pooled.connection.close()


def _column_info(row: tuple[Cell, ...], references: str | None) -> ColumnInfo:
    _, name, kind, required, _, key = row
    return ColumnInfo(str(name), str(kind).upper(), not required, int(str(key)), references)


def _reference(table: Cell, column: Cell) -> str:
    return f"{table!s}({column!s})" if column else str(table)


def _fetch(
    cursor: sqlite3.Cursor, most: int | None, most_bytes: int
) -> tuple[list[tuple[Cell, ...]], bool]:
    kept: list[tuple[Cell, ...]] = []
    size = 0
    for row in cursor:
        if most is not None and len(kept) >= most:
            return kept, True
        size += sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)
        if size > most_bytes:
            message = (
                f"The result is larger than {most_bytes:,} bytes; ask for fewer rows or columns."
            )
            raise QueryError(message, "limit")
        kept.append(row)
    return kept, False
