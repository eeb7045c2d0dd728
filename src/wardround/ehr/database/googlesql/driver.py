"""Answers queries in BigQuery's dialect from a DuckDB file."""

from functools import cached_property
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.driver import Driver
from wardround.ehr.database.engine import engine_of
from wardround.ehr.database.googlesql.engine import SCHEME
from wardround.ehr.database.googlesql.location import read_location
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.result_columns import check_names
from wardround.ehr.database.googlesql.strictness.check import Columns, check
from wardround.ehr.database.googlesql.translation import to_duckdb
from wardround.ehr.database.interface import ColumnInfo, Limits, QueryError, ResultTable
from wardround.ehr.database.names import quote_name

# Types as BigQuery shows them; others keep DuckDB's name.
_TYPES = {
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


class GoogleSqlDriver:
    """A DuckDB database that is sent BigQuery's dialect; see `Driver`.

    Args:
        inner: The DuckDB database.
        hidden: A patient whose rows no query reaches.
        owner: False if another driver closes the database.
    """

    dialect = "bigquery"

    def __init__(self, inner: Driver, hidden: int | None = None, *, owner: bool = True) -> None:
        self._inner = inner
        self._hidden = hidden
        self._owner = owner
        self.name = inner.name
        self.url = f"{SCHEME}{inner.url}" + (f"?without={hidden}" if hidden is not None else "")

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Check and translate one query, and run it."""
        if len(sql.encode(errors="replace")) > Limits().sql_bytes:
            raise QueryError("The statement is too long; write a shorter one.", "limit")
        # Translated first: BigQuery too says of a missing table only that it is missing.
        translated = to_duckdb(sql, self._names())
        check(sql, self._types)
        result = self._inner.run(translated, rows, seconds, memory)
        check_names(result.columns)
        return result

    @cached_property
    def _types(self) -> Columns:
        """The columns of each table with their types; the file does not change while it is open."""
        return {
            table: {column.name: column.type for column in self.columns(table)}
            for table in self.tables()
        }

    def _names(self) -> Names:
        tables = {table: tuple(columns) for table, columns in self._types.items()}
        return Names(tables, Overlay(self._hidden) if self._hidden is not None else None)

    def hiding(self, subject_id: int) -> "GoogleSqlDriver":
        """The same database without one patient; it is closed with this one."""
        return GoogleSqlDriver(self._inner, subject_id, owner=False)

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        return self._inner.tables()

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order, with BigQuery's types."""
        return [
            ColumnInfo(
                column.name,
                _TYPES.get(column.type, column.type),
                column.nullable,
                column.primary_key,
                column.references,
            )
            for column in self._inner.columns(table)
        ]

    def sample(self, table: str, rows: int) -> ResultTable:
        """Some rows of a table."""
        source = self._names().source(table).sql("duckdb")
        sql = f"SELECT * FROM {source} AS {quote_name(table)} LIMIT {int(rows)}"  # noqa: S608
        return self._inner.run(sql, rows, 60.0, None)

    def fingerprint(self) -> str:
        """The fingerprint of the file, and of whom it hides."""
        file = self._inner.fingerprint()
        return file if self._hidden is None else f"{file}-without-{self._hidden}"

    def close(self) -> None:
        """Close the file."""
        if self._owner:
            self._inner.close()


def open_file(location: str, limits: Limits) -> GoogleSqlDriver:
    """Open a DuckDB file for queries in BigQuery's dialect.

    Raises:
        UserError: It is missing or is no DuckDB file.
    """
    path, hidden = read_location(location)
    if not Path(path).expanduser().is_file():
        raise UserError(f"Database {path} does not exist; check the path.")
    database = engine_of(path).open(path, limits)
    if database.dialect != "duckdb":
        database.close()
        raise UserError(
            f"Database {path} is no DuckDB file; BigQuery's dialect runs on DuckDB only: build one"
            " with a name that ends in .duckdb."
        )
    return GoogleSqlDriver(database.driver, hidden)
