"""Runs statements on an open SQLite file, in a process of its own."""

import sqlite3
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.cells import RowBuffer
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.ehr.database.sqlite.errors import explain_error
from wardround.ehr.database.sqlite.sandbox import READING, WRITING, Permit, connect

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class SqliteStatements:
    """One connection; see `statement_service.Statements`."""

    def __init__(self, path: str, connection: sqlite3.Connection, permit: Permit, limits: Limits):
        self._path = path
        self._connection = connection
        self._permit = permit
        self._limits = limits

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement.

        Raises:
            UserError: If the file turns out to be damaged.
        """
        self._permit.renew()
        try:
            cursor = self._connection.execute(sql)
            try:
                return self._result(cursor, rows)
            finally:
                cursor.close()
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError) as error:
            if getattr(error, "sqlite_errorname", "").startswith(_DAMAGED):
                raise UserError(
                    f"Database {self._path} is damaged ({error}); get a new copy."
                ) from error
            raise explain_error(error, self._connection, self._permit, sql) from error

    def interrupt(self) -> None:
        """Cancel the running statement."""
        self._connection.interrupt()

    def _result(self, cursor: sqlite3.Cursor, rows: int | None) -> ResultTable:
        if cursor.description is None:
            return self._no_rows(cursor)
        buffer = RowBuffer(rows, self._limits)
        for row in cursor:
            if not buffer.add(row):
                break
        return buffer.table(tuple(column[0] for column in cursor.description))

    def _no_rows(self, cursor: sqlite3.Cursor) -> ResultTable:
        if not self._permit.changes:
            raise QueryError("This is no query: it returns no columns; send one SELECT.", "syntax")
        return ResultTable((), [], False, cursor.rowcount if cursor.rowcount >= 0 else None)


def open_reading(path: str, limits: Limits) -> SqliteStatements:
    """Open a file read-only."""
    connection, permit = connect(Path(path), "ro", READING, limits)
    return SqliteStatements(path, connection, permit, limits)


def open_writing(path: str, limits: Limits) -> SqliteStatements:
    """Open a trial's private copy for writing."""
    connection, permit = connect(Path(path), "rw", WRITING, limits)
    return SqliteStatements(path, connection, permit, limits)
