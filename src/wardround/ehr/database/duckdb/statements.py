"""Runs statements on an open DuckDB file, in a process of its own."""

import re
import sys
from collections.abc import Set
from typing import TYPE_CHECKING, Any

from wardround.ehr.database.cells import PLAIN, cell
from wardround.ehr.database.duckdb import zone
from wardround.ehr.database.duckdb.errors import explain_error
from wardround.ehr.database.duckdb.sandbox import READING, WRITING, connect
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.ehr.database.row_buffer import RowBuffer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

# Rows are fetched in parts, so that a result that is too large is refused before it is whole.
_PART = 256
_EXPLAIN = re.compile(r"\s*explain(\s+analyze)?(\s*\([^)]*\))?\s", re.IGNORECASE)


class DuckdbStatements:
    """One connection; see `statement_service.Statements`."""

    def __init__(self, connection: "DuckDBPyConnection", allowed: Set[str], limits: Limits):
        self._connection = connection
        self._allowed = allowed
        self._limits = limits

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement."""
        import duckdb

        try:
            statement = self._permitted(sql)
            self._connection.execute(statement)
            return self._result({each.name for each in statement.expected_result_type}, rows)
        except (duckdb.Error, MemoryError, ValueError, RuntimeError) as error:
            raise explain_error(error) from error

    def interrupt(self) -> None:
        """Stop what runs."""
        self._connection.interrupt()

    def _permitted(self, sql: str) -> "Statement":
        statement = self._only(sql)
        kind = statement.type.name
        if kind == "EXPLAIN":
            # It also runs what it explains, and a temporary table is beside the read-only file.
            kind = self._only(_EXPLAIN.sub("", sql, count=1)).type.name
        if kind not in self._allowed:
            raise QueryError(f"This is not allowed here: {_words(kind)}.", "denied")
        return statement

    def _only(self, sql: str) -> "Statement":
        statements = self._connection.extract_statements(sql)
        if len(statements) > 1:
            raise QueryError("Only one statement can be run at a time; send them apart.", "denied")
        if not statements:
            raise QueryError("This is no query: it is empty; send one SELECT.", "syntax")
        return statements[0]

    def _result(self, expected: set[str], rows: int | None) -> ResultTable:
        columns = tuple(str(column[0]) for column in self._connection.description or ())
        if "CHANGED_ROWS" in expected and columns == ("Count",):
            counted = self._connection.fetchall()
            return ResultTable((), [], False, int(counted[0][0]) if counted else None)
        if expected == {"NOTHING"} or not columns:
            return ResultTable((), [], False)
        return self._fetched(RowBuffer(rows, self._limits)).table(columns)

    def _fetched(self, buffer: RowBuffer) -> RowBuffer:
        while part := self._connection.fetchmany(_PART):
            if not all(buffer.add(_plain(row)) for row in part):
                break
        return buffer


def _words(kind: str) -> str:
    return "PIVOT without IN (…)" if kind == "MULTI" else kind.replace("_", " ")


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([value if type(value) in PLAIN else cell(value) for value in row])


def open_reading(path: str, limits: Limits) -> DuckdbStatements:
    """Open a file that is only read."""
    _provide_zone()
    return DuckdbStatements(connect(path, limits, read_only=True), READING, limits)


def open_writing(path: str, limits: Limits) -> DuckdbStatements:
    """Open a copy of one's own."""
    _provide_zone()
    return DuckdbStatements(connect(path, limits, read_only=False), WRITING, limits)


def _provide_zone() -> None:
    """Replace `pytz` in this process, which runs statements and nothing else."""
    sys.modules["pytz"] = zone
