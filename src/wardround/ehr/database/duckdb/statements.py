"""Runs statements on an open DuckDB file, in a separate process.

DuckDB's own parser decides which statements may run.
"""

import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from wardround.core.errors import UserError
from wardround.ehr.database.cells import PLAIN, RowBuffer, cell
from wardround.ehr.database.duckdb import farm_hash, zone
from wardround.ehr.database.interface import Limits, QueryError, QueryErrorKind, ResultTable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement


# Statement types of DuckDB's parser; the read-only file refuses writing within a SELECT.
READING = frozenset({"SELECT"})
WRITING = READING | {
    "ALTER",
    "CREATE",
    "DELETE",
    "DROP",
    "INSERT",
    "MERGE_INTO",
    "TRANSACTION",
    "UPDATE",
    "VACUUM",
}

_SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # No file but the database's own, and no network.
    "enable_external_access": "false",
    "max_expression_depth": "200",
    # Otherwise a query could read Python variables of this program by name.
    "python_enable_replacements": "false",
    # Sorting must not fill the disk.
    "temp_directory": "",
    "lock_configuration": "true",
}


# Rows are fetched in batches, so that a too large result is refused before it is complete.
_PART = 256


class DuckdbStatements:
    """Runs statements in a session; see `statement_service.Statements`.

    Args:
        connection: The open file.
        allowed: The statement types that may run.
        limits: Limits of a result.
        lasting: True to keep session state (transactions, temporary tables) between statements;
            otherwise each statement has its own session.
    """

    def __init__(
        self,
        connection: "DuckDBPyConnection",
        allowed: Set[str],
        limits: Limits,
        *,
        lasting: bool,
    ):
        self._connection = connection
        self._session = connection
        self._allowed = allowed
        self._limits = limits
        self._lasting = lasting
        self._has_fingerprint = False

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement."""
        import duckdb

        try:
            self._add_fingerprint(sql)
            with self._opened_session() as session:
                statement = permitted(session, sql, self._allowed)
                session.execute(statement)
                expected = {each.name for each in statement.expected_result_type}
                return self._result(session, expected, rows)
        except (duckdb.Error, MemoryError, ValueError, RuntimeError) as error:
            raise explain_error(error) from error

    def interrupt(self) -> None:
        """Cancel the running statement."""
        self._session.interrupt()

    def _add_fingerprint(self, sql: str) -> None:
        """Add the function that BigQuery has and DuckDB lacks before the first use of it."""
        if farm_hash.NAME in sql.lower() and not self._has_fingerprint:
            self._connection.create_function(
                farm_hash.NAME, farm_hash.farm_fingerprint, ["VARCHAR"], "BIGINT"
            )
            self._has_fingerprint = True

    @contextmanager
    def _opened_session(self) -> "Iterator[DuckDBPyConnection]":
        if self._lasting:
            yield self._session
            return
        with self._connection.cursor() as self._session:
            yield self._session

    def _result(
        self, session: "DuckDBPyConnection", expected: set[str], rows: int | None
    ) -> ResultTable:
        columns = tuple(str(column[0]) for column in session.description or ())
        if "CHANGED_ROWS" in expected and columns == ("Count",):
            counted = session.fetchall()
            return ResultTable((), [], False, int(counted[0][0]) if counted else None)
        if expected == {"NOTHING"} or not columns:
            return ResultTable((), [], False)
        return _fetched(session, RowBuffer(rows, self._limits)).table(columns)


def _fetched(session: "DuckDBPyConnection", buffer: RowBuffer) -> RowBuffer:
    while part := session.fetchmany(_PART):
        if not all(buffer.add(_plain(row)) for row in part):
            break
    return buffer


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([value if type(value) in PLAIN else cell(value) for value in row])


def open_reading(path: str, limits: Limits) -> DuckdbStatements:
    """Open a file read-only."""
    _provide_zone()
    connection = connect(path, limits, read_only=True)
    return DuckdbStatements(connection, READING, limits, lasting=False)


def open_writing(path: str, limits: Limits) -> DuckdbStatements:
    """Open a trial's private copy for writing."""
    _provide_zone()
    connection = connect(path, limits, read_only=False)
    return DuckdbStatements(connection, WRITING, limits, lasting=True)


def _provide_zone() -> None:
    """Install `zone` as `pytz` in this process, which only runs statements."""
    sys.modules["pytz"] = zone


_DENIED = (
    "configuration has been locked",
    "disabled by configuration",
    "read-only mode",
)
_TOO_LARGE = (
    "exceeds the maximum",
    "expression depth limit",
    "maximum recursion depth",
    "maximum supported string size",
    "out of memory",
)


def explain_error(error: Exception) -> QueryError:
    """The query error for an exception of `duckdb`."""
    import duckdb

    text = _sentence(str(error))
    lowered = text.lower()
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        return QueryError("The query needs too much memory; let it sort or group less.", "limit")
    if isinstance(error, duckdb.InterruptException):
        return QueryError("The query was stopped.", "timeout")
    if isinstance(error, duckdb.PermissionException) or any(each in lowered for each in _DENIED):
        return QueryError(f"This is not allowed here: {text}.", "denied")
    if any(each in lowered for each in _TOO_LARGE):
        return QueryError(f"The query is over a limit: {text}.", "limit")
    return QueryError(f"{text}.", _kind(error))


def _kind(error: Exception) -> QueryErrorKind:
    import duckdb

    syntax_errors = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    return "syntax" if isinstance(error, syntax_errors) else "runtime"


def _sentence(text: str) -> str:
    """The message without the excerpt of the statement that DuckDB appends."""
    words, _, _ = text.partition("\n\nLINE ")
    return " ".join(words.split()).rstrip(".")


def connect(path: str, limits: Limits, *, read_only: bool) -> "DuckDBPyConnection":
    """Open a connection with limits and locked settings.

    Raises:
        UserError: If DuckDB cannot open the file.
    """
    import duckdb

    # DuckDB does not count all its memory: the rest must fit into the limit of the process too.
    counted = limits.heap_bytes * 3 // 4
    settings = {"memory_limit": f"{counted}B", "threads": str(limits.threads), **_SETTINGS}
    try:
        return duckdb.connect(path, read_only=read_only, config=dict(settings))
    except duckdb.Error as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise UserError(f"Database {path} cannot be read ({first}); get a new copy.") from error


class _Token(NamedTuple):
    start: int
    text: str


def permitted(connection: "DuckDBPyConnection", sql: str, allowed: Set[str]) -> "Statement":
    """Parse a statement and check that it may run.

    DuckDB does not expose the statement inside an EXPLAIN, and EXPLAIN ANALYZE runs it. So the
    inner statement is parsed and checked by itself, and a fresh EXPLAIN is put in front of it:
    even if the prefix was misread here, only a checked statement runs.

    Raises:
        QueryError: If `sql` is not a single statement of an allowed type.
    """
    statement = _single(connection, sql)
    if statement.type.name != "EXPLAIN":
        _check(statement, allowed)
        return statement
    prefix, explained = _split(connection, sql)
    _check(explained, allowed)
    return _single(connection, f"{prefix} {explained.query}")


def _single(connection: "DuckDBPyConnection", sql: str) -> "Statement":
    statements = connection.extract_statements(sql)
    if len(statements) > 1:
        raise QueryError("Only one statement can be run at a time; send them apart.", "denied")
    if not statements:
        raise QueryError("This is not a query: it is empty; send one SELECT.", "syntax")
    return statements[0]


def _check(statement: "Statement", allowed: Set[str]) -> None:
    kind = statement.type.name
    if kind not in allowed:
        words = "PIVOT without IN (…)" if kind == "MULTI" else kind.replace("_", " ")
        raise QueryError(f"This is not allowed here: {words}.", "denied")


def _split(connection: "DuckDBPyConnection", sql: str) -> "tuple[str, Statement]":
    """Split an EXPLAIN into its prefix, without comments, and the explained statement."""
    import duckdb

    for prefix, rest in _divisions(sql):
        try:
            return prefix, _single(connection, rest)
        except duckdb.ParserException:
            continue
    raise QueryError("This is not allowed here: EXPLAIN of no single statement.", "denied")


def _divisions(sql: str) -> Iterator[tuple[str, str]]:
    """Each candidate prefix of an EXPLAIN (words or one parenthesis), and the text after it.

    >>> [rest for _, rest in _divisions("explain /* ! */ analyze select 1")]
    ['analyze select 1', 'select 1', '1']
    """
    content, tokens = sql.encode(), _tokens(sql)
    prefix, inside = "", False
    for token, following in pairwise(tokens):
        if not (token.text in {"(", ",", ")"} or _is_word(token.text)):
            return
        prefix = f"{prefix} {token.text}".strip()
        inside = token.text == "(" or (inside and token.text != ")")
        if not inside:
            yield prefix, content[following.start :].decode()
        if not inside and token.text == ")":
            return


def _tokens(sql: str) -> list[_Token]:
    """The tokens of a statement, without comments."""
    import duckdb

    content = sql.encode()
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(content)]
    return [
        _Token(start, content[start:end].decode().strip())
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind.name != "comment"
    ]


def _is_word(text: str) -> bool:
    return text.isascii() and text.isidentifier()
