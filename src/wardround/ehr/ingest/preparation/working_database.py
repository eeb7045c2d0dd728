"""The temporary DuckDB database of a preparation, and its common operations."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.schema import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Tables beyond this size spill to disk.
MEMORY = "512MB"


@contextmanager
def open_working_database() -> Iterator["DuckDBPyConnection"]:
    """Open a temporary database.

    Schema `copied` holds tables read from the source, `source` typed views of them, and `own`
    tables of the steps.
    """
    import duckdb

    with (
        ScratchFolder() as scratch,
        duckdb.connect() as connection,
    ):
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"SET temp_directory = '{scratch.path}'")
        for schema in ("copied", "source", "own"):
            connection.execute(f"CREATE SCHEMA {schema}")
        yield connection


def count(connection: "DuckDBPyConnection", table: str) -> int:
    """The number of rows of a table."""
    return number(connection, f"SELECT count(*) FROM {table}")


def number(connection: "DuckDBPyConnection", sql: str) -> int:
    """The single number that a query returns."""
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0


def literal(moment: datetime) -> str:
    """A time as an SQL literal.

    >>> literal(datetime(2105, 12, 31, 23, 59))
    "TIMESTAMP '2105-12-31 23:59:00'"
    """
    return f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S}'"


def delete(connection: "DuckDBPyConnection", table: str, condition: str) -> tuple[int, int]:
    """Delete the rows that meet a condition; returns the counts before and after."""
    before = count(connection, quoted(table))
    removed = number(connection, f"DELETE FROM {quoted(table)} WHERE {condition}")
    return before, before - removed


def replace(connection: "DuckDBPyConnection", table: str, sql: str) -> None:
    """Replace a table by the rows of a query."""
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS {sql}")


def columns(connection: "DuckDBPyConnection", table: str) -> dict[str, str]:
    """The types of a table's columns, in order."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE {quoted(table)}").fetchall()}


def store_columns(
    connection: "DuckDBPyConnection", table: str, values: Mapping[str, Sequence[Any]]
) -> None:
    """Create the table `own.<table>` from columns of equal length."""
    unnested = ", ".join(f"unnest(${name}) AS {name}" for name in values)
    connection.execute(f"CREATE OR REPLACE TABLE own.{table} AS SELECT {unnested}", dict(values))
