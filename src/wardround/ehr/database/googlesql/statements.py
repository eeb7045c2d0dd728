"""Checks, translates and runs queries in BigQuery's dialect, in the process of the statement.

A query that is expensive to parse or to translate meets the limits of a statement that is expensive
to run: the process is killed, and nothing else is.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wardround.ehr.database.duckdb.driver import DUCKDB
from wardround.ehr.database.duckdb.statements import DuckdbStatements
from wardround.ehr.database.duckdb.statements import open_reading as open_duckdb
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.result_columns import check_names
from wardround.ehr.database.googlesql.strictness.check import check
from wardround.ehr.database.googlesql.translation import to_duckdb
from wardround.ehr.database.interface import Limits, QueryError, ResultTable

# Types as BigQuery shows them; others keep DuckDB's name.
TYPES = {
    "BIGINT": "INT64",
    "INTEGER": "INT64",
    "SMALLINT": "INT64",
    "VARCHAR": "STRING",
    "DOUBLE": "FLOAT64",
    "FLOAT": "FLOAT64",
    "TIMESTAMP": "DATETIME",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
    "BOOLEAN": "BOOL",
    "BLOB": "BYTES",
}


# sqlglot takes some twenty calls for each level of a query.
DEEPEST_CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Request:
    """A query as it is sent to the process.

    Attributes:
        sql: The query in BigQuery's dialect.
        hidden: A patient whose rows it does not reach.
        analyser: The compiled module of GoogleSQL's analyser; None if it is not installed.
    """

    sql: str
    hidden: int | None = None
    analyser: str | None = None

    @property
    def text(self) -> str:
        r"""The request as a text, which `request` reads.

        >>> Request("SELECT 1", hidden=7).text
        '[7, null]\nSELECT 1'
        """
        return f"{json.dumps([self.hidden, self.analyser])}\n{self.sql}"


def request(text: str) -> Request:
    """The inverse of `Request.text`."""
    head, _, sql = text.partition("\n")
    return Request(sql, *json.loads(head))


class GoogleSqlStatements:
    """Runs queries on an open DuckDB file; see `statement_service.Statements`."""

    def __init__(self, statements: DuckdbStatements) -> None:
        self._statements = statements
        self._types = _types(statements)

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Check, translate and run the query of a request."""
        wanted = request(sql)
        result = self._statements.run(self._translated(wanted), rows)
        check_names(result.columns)
        return result

    def interrupt(self) -> None:
        """Cancel the running query."""
        self._statements.interrupt()

    def _translated(self, wanted: Request) -> str:
        tables = {table: tuple(columns) for table, columns in self._types.items()}
        overlay = Overlay(wanted.hidden) if wanted.hidden is not None else None
        module = Path(wanted.analyser) if wanted.analyser else None
        try:
            # Translated first: BigQuery too says of a missing table only that it is missing.
            translated = to_duckdb(wanted.sql, Names(tables, overlay))
            check(wanted.sql, self._types, module)
        except RecursionError as error:
            raise QueryError("The query is nested too deeply.", "limit") from error
        return translated


def _types(statements: DuckdbStatements) -> Mapping[str, Mapping[str, str]]:
    """The columns of each table with BigQuery's types."""
    tables = DUCKDB.tables(lambda sql: statements.run(sql, None).rows)
    columns = DUCKDB.columns(lambda sql: statements.run(sql, None).rows, "") if tables else {}
    return {
        table: {column.name: TYPES.get(column.type, column.type) for column in columns[table]}
        for table in tables
    }


def open_reading(path: str, limits: Limits) -> GoogleSqlStatements:
    """Open a DuckDB file read-only, in a process that does nothing else."""
    sys.setrecursionlimit(DEEPEST_CALLS)
    return GoogleSqlStatements(open_duckdb(path, limits))
