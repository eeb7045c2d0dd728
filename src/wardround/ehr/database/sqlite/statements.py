"""Runs statements on an open SQLite file, in a separate process."""

import sqlite3
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.cells import RowBuffer
from wardround.ehr.database.interface import Limits, QueryError, QueryErrorKind, ResultTable
from wardround.ehr.database.sqlite.sandbox import READING, WRITING, Permit, connect

_TOO_LARGE = (
    "at most ",
    "expression tree is too large",
    "like or glob pattern too complex",
    "parser stack overflow",
    "query string is too large",
    "string or blob too big",
    "too many ",
)
# Error names if the file cannot grow.
_FULL = {"SQLITE_FULL", "SQLITE_IOERR_WRITE"}

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
            raise QueryError(
                "This is not a query: it returns no columns; send one SELECT.", "syntax"
            )
        return ResultTable((), [], False, cursor.rowcount if cursor.rowcount >= 0 else None)


def open_reading(path: str, limits: Limits) -> SqliteStatements:
    """Open a file read-only."""
    connection, permit = connect(Path(path), "ro", READING, limits)
    return SqliteStatements(path, connection, permit, limits)


def open_writing(path: str, limits: Limits) -> SqliteStatements:
    """Open a trial's private copy for writing."""
    connection, permit = connect(Path(path), "rw", WRITING, limits)
    return SqliteStatements(path, connection, permit, limits)


def explain_error(
    error: Exception,
    connection: sqlite3.Connection,
    permit: Permit,
    sql: str,
) -> QueryError:
    """The query error for an exception of `sqlite3`.

    Args:
        error: The exception.
        connection: The connection that ran the statement.
        permit: The authorizer, which knows what it refused.
        sql: The statement.
    """
    text = str(error)
    if permit.refused:
        return QueryError(f"This is not allowed here: {permit.refused}.", "denied")
    if permit.too_many_calls:
        return QueryError("The statement has too many function calls; write fewer.", "limit")
    if isinstance(error, MemoryError):
        return QueryError("The query needs too much memory; let it sort or group less.", "limit")
    if "one statement at a time" in text:
        return QueryError("Only one statement can be run at a time; send them apart.", "denied")
    if text.startswith("unsafe use of") or text.endswith("may not be modified"):
        return QueryError(f"This is not allowed here: {text}.", "denied")
    if getattr(error, "sqlite_errorname", "") in _FULL:
        return QueryError("The database would grow beyond its limit; write less.", "limit")
    if text.lower().startswith(_TOO_LARGE):
        return QueryError(f"The query is over a limit: {text}.", "limit")
    return QueryError(f"{text[:1].upper()}{text[1:].rstrip('.')}.", _kind(error, connection, sql))


def _kind(error: Exception, connection: sqlite3.Connection, sql: str) -> QueryErrorKind:
    if not isinstance(error, sqlite3.Error):
        return "syntax"
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_AUTH" or name.startswith("SQLITE_READONLY"):
        return "denied"
    if name == "SQLITE_INTERRUPT":
        return "timeout"
    return "runtime" if _compiles(connection, sql) else "syntax"


def _compiles(connection: sqlite3.Connection, sql: str) -> bool:
    """Return True if SQLite can plan the statement: EXPLAIN compiles it and runs nothing."""
    try:
        connection.execute(f"EXPLAIN {sql}").close()
    except sqlite3.Error:
        return False
    return True
