"""Translates SQLite's errors into query errors that an agent can act on."""

import sqlite3

from wardround.ehr.database.interface import QueryError, QueryErrorKind
from wardround.ehr.database.sqlite.sandbox import Permit

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
