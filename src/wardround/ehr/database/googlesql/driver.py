"""Answers queries in BigQuery's dialect from a DuckDB file."""

from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.driver import Driver
from wardround.ehr.database.engine import engine_of
from wardround.ehr.database.googlesql.engine import SCHEME
from wardround.ehr.database.googlesql.translation import to_duckdb
from wardround.ehr.database.interface import ColumnInfo, Limits, ResultTable


class GoogleSqlDriver:
    """A DuckDB database that is sent BigQuery's dialect; see `Driver`.

    Args:
        inner: The DuckDB database.
    """

    dialect = "bigquery"

    def __init__(self, inner: Driver) -> None:
        self._inner = inner
        self.name, self.url = inner.name, f"{SCHEME}{inner.url}"

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Translate one statement and run it."""
        return self._inner.run(to_duckdb(sql), rows, seconds, memory)

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        return self._inner.tables()

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        return self._inner.columns(table)

    def fingerprint(self) -> str:
        """The fingerprint of the file."""
        return self._inner.fingerprint()

    def close(self) -> None:
        """Close the file."""
        self._inner.close()


def open_file(location: str, limits: Limits) -> GoogleSqlDriver:
    """Open a DuckDB file for queries in BigQuery's dialect.

    Raises:
        UserError: It is missing or is no DuckDB file.
    """
    path = location.removeprefix(SCHEME)
    if not Path(path).expanduser().is_file():
        raise UserError(f"Database {path} does not exist; check the path.")
    database = engine_of(path).open(path, limits)
    if database.dialect != "duckdb":
        database.close()
        raise UserError(
            f"Database {path} is no DuckDB file; BigQuery's dialect runs on DuckDB only: build one"
            " with a name that ends in .duckdb."
        )
    return GoogleSqlDriver(database.driver)
