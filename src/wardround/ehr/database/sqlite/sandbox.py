"""Permissions and limits of a SQLite connection, enforced by SQLite itself."""

import sqlite3
from collections.abc import Set
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits

READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})

_OBJECTS = ("TABLE", "INDEX", "VIEW", "TRIGGER")

# These stay within the one file; ATTACH, PRAGMA and virtual tables do not.
WRITING = READING | {
    getattr(sqlite3, f"SQLITE_{name}")
    for name in (
        "INSERT",
        "UPDATE",
        "DELETE",
        "TRANSACTION",
        "SAVEPOINT",
        "ALTER_TABLE",
        "ANALYZE",
        "REINDEX",
        *(f"{verb}_{what}" for verb in ("CREATE", "DROP") for what in _OBJECTS),
        *(f"{verb}_TEMP_{what}" for verb in ("CREATE", "DROP") for what in _OBJECTS),
    )
}

# Read-only PRAGMAs about the schema, which SQL writers use.
_SCHEMA_PRAGMAS = {
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
}

# Functions of some builds that reach files, code or other programs.
_UNSAFE_FUNCTIONS = {
    "edit",
    "eval",
    "fsdir",
    "fts3_tokenizer",
    "load_extension",
    "lsmode",
    "readfile",
    "writefile",
    "zipfile",
}

_REFUSED = (
    "ATTACH",
    "DELETE",
    "DETACH",
    "INSERT",
    "PRAGMA",
    "SAVEPOINT",
    "TRANSACTION",
    "UPDATE",
)

_TABLE_FUNCTIONS = (
    "json_each('[]')",
    "json_tree('[]')",
    *(f"pragma_{name}('')" for name in sorted(_SCHEMA_PRAGMAS)),
)

_SETTINGS = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    # Sorting must fill neither the disk (temp files) nor memory (the process's limit).
    "PRAGMA temp_store = MEMORY",
    # Queries read the same pages again and again, so 64 MiB of them are cached.
    "PRAGMA cache_size = -65536",
)


class Permit:
    """SQLite authorizer: decides what a statement may do while it is compiled.

    Attributes:
        refused: Description of the first refused action.
        too_many_calls: True if the statement has more function calls than allowed.
        changes: True if the statement does more than read.
    """

    def __init__(self, allowed: Set[int], function_calls: int):
        self._allowed = allowed
        self._most_calls = function_calls
        self.renew()

    def renew(self) -> None:
        """Forget the last statement."""
        self.refused: str | None = None
        self.too_many_calls = False
        self.changes = False
        self._calls = 0

    def __call__(
        self, action: int, first: str | None, second: str | None, schema: str | None, by: str | None
    ) -> int:
        """SQLite's authorizer callback."""
        if action in self._allowed or (
            action == sqlite3.SQLITE_PRAGMA and first in _SCHEMA_PRAGMAS
        ):
            self.changes |= action not in READING and action != sqlite3.SQLITE_PRAGMA
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return self._function(second or "")
        return self._refuse(_words(action, first))

    def _function(self, name: str) -> int:
        self._calls += 1
        if self._calls > self._most_calls:
            self.too_many_calls = True
            return sqlite3.SQLITE_DENY
        if name.lower() in _UNSAFE_FUNCTIONS:
            return self._refuse(f"the function {name}")
        return sqlite3.SQLITE_OK

    def _refuse(self, what: str) -> int:
        self.refused = self.refused or what
        return sqlite3.SQLITE_DENY


def connect(
    path: Path, mode: str, allowed: Set[int], limits: Limits
) -> tuple[sqlite3.Connection, Permit]:
    """Open a connection with limits; returns it with its authorizer.

    Args:
        path: The file.
        mode: `ro` or `rw`, as in SQLite's URIs.
        allowed: The permitted actions: `READING` or `WRITING`.
        limits: Limits of one statement.

    Raises:
        UserError: If SQLite cannot read the file.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _prepare(connection, limits)
    except sqlite3.Error as error:
        connection.close()
        advice = "get a new copy"
        if path.with_name(f"{path.name}-journal").exists():
            advice = "whoever wrote it last was cut off: give that command again"
        raise UserError(f"Database {path} cannot be read ({error}); {advice}.") from error
    permit = Permit(allowed, limits.function_calls)
    connection.set_authorizer(permit)
    return connection, permit


def _prepare(connection: sqlite3.Connection, limits: Limits) -> None:
    for setting in _SETTINGS:
        connection.execute(setting)
    # Process-wide; SQLite allows only lowering it.
    connection.execute(f"PRAGMA hard_heap_limit = {limits.heap_bytes}")
    for function in _TABLE_FUNCTIONS:
        # The first use on a connection declares a virtual table, which the permit would refuse.
        connection.execute(f"SELECT 1 FROM {function}")  # noqa: S608
    _set_limits(connection, limits)


def _set_limits(connection: sqlite3.Connection, limits: Limits) -> None:
    for category, most in (
        (sqlite3.SQLITE_LIMIT_LENGTH, limits.cell_bytes),
        (sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes),
        (sqlite3.SQLITE_LIMIT_COLUMN, 500),
        (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 200),
        (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 100),
        (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
    ):
        connection.setlimit(category, most)


def _words(action: int, detail: str | None) -> str:
    word = next((name for name in _REFUSED if action == getattr(sqlite3, f"SQLITE_{name}")), None)
    if action == sqlite3.SQLITE_CREATE_VTABLE:
        return "a virtual table or a table function"
    if word is None or (detail or "").startswith("sqlite_"):
        return "a change of the schema"
    return f"{word} {detail}" if detail else word
