"""Statements on an open DuckDB file, in the process that runs them."""

import sys
from collections.abc import Set
from typing import TYPE_CHECKING, Any

from wardround.ehr.database.cells import cell
from wardround.ehr.database.duckdb import zone
from wardround.ehr.database.duckdb.errors import explain_error
from wardround.ehr.database.duckdb.sandbox import READING, WRITING, connect
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.ehr.database.kept import Kept

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

# Rows are fetched in parts, so that a result that is too large is known before it is all there.
_PART = 256


class DuckdbStatements:
    """One connection; see `child.Statements`."""

    def __init__(self, connection: "DuckDBPyConnection", allowed: Set[str], limits: Limits):
        self._connection = connection
        self._allowed = allowed
        self._limits = limits

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement."""
        import duckdb

        try:
            statement = self._permitted(self._connection.extract_statements(sql))
            self._connection.execute(statement)
            return self._result(statement.expected_result_type[0].name, rows)
        except (duckdb.Error, MemoryError, ValueError, RuntimeError) as error:
            raise explain_error(error) from error

    def interrupt(self) -> None:
        """Stop what runs."""
        self._connection.interrupt()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _permitted(self, statements: "list[Statement]") -> "Statement":
        if len(statements) > 1:
            raise QueryError("Only one statement can be run at a time; send them apart.", "denied")
        if not statements:
            raise QueryError("This is no query: it is empty; send one SELECT.", "syntax")
        kind = statements[0].type.name
        if kind not in self._allowed:
            words = kind.replace("_", " ")
            raise QueryError(f"Only reading is allowed, and this is {words}.", "denied")
        return statements[0]

    def _result(self, expected: str, rows: int | None) -> ResultTable:
        if expected == "CHANGED_ROWS":
            counted = self._connection.fetchall()
            return ResultTable((), [], False, int(counted[0][0]) if counted else None)
        if expected == "NOTHING" or self._connection.description is None:
            return ResultTable((), [], False)
        columns = tuple(str(column[0]) for column in self._connection.description)
        return self._fetched(Kept(rows, self._limits)).table(columns)

    def _fetched(self, kept: Kept) -> Kept:
        while part := self._connection.fetchmany(_PART):
            if not all(kept.add(_plain(row)) for row in part):
                break
        return kept


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([cell(value) for value in row])


# Only processes that run statements read this module: nobody else's pytz is replaced.
sys.modules["pytz"] = zone


def open_reading(path: str, limits: Limits) -> DuckdbStatements:
    """Open a file that is only read."""
    return DuckdbStatements(connect(path, limits, read_only=True), READING, limits)


def open_writing(path: str, limits: Limits) -> DuckdbStatements:
    """Open a copy of one's own."""
    return DuckdbStatements(connect(path, limits, read_only=False), WRITING, limits)
