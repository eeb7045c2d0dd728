"""The working database, a DuckDB of its own, and the few moves that all steps share."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wardround.ehr.schema import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Beyond this its tables go to disk.
MEMORY = "512MB"


@contextmanager
def open_lake() -> Iterator["DuckDBPyConnection"]:
    """An empty working database, gone afterwards.

    Its schema `copied` takes what is read of the source, `source` shows it with its types, and
    `own` takes what the steps note down.
    """
    import duckdb

    with (
        TemporaryDirectory(prefix="wardround-") as folder,
        duckdb.connect() as lake,
    ):
        lake.execute(f"SET memory_limit = '{MEMORY}'")
        lake.execute("SET preserve_insertion_order = false")
        lake.execute(f"SET temp_directory = '{folder}'")
        for schema in ("copied", "source", "own"):
            lake.execute(f"CREATE SCHEMA {schema}")
        yield lake


def count(lake: "DuckDBPyConnection", table: str) -> int:
    """How many rows a table has."""
    return number(lake, f"SELECT count(*) FROM {table}")


def number(lake: "DuckDBPyConnection", sql: str) -> int:
    """The one number that a query returns."""
    row = lake.execute(sql).fetchone()
    return int(row[0]) if row else 0


def literal(moment: datetime) -> str:
    """A time as SQL writes it.

    >>> literal(datetime(2105, 12, 31, 23, 59))
    "TIMESTAMP '2105-12-31 23:59:00'"
    """
    return f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S}'"


def delete(lake: "DuckDBPyConnection", table: str, condition: str) -> tuple[int, int]:
    """Remove the rows that meet a condition; how many there were before and after."""
    before = count(lake, quoted(table))
    removed = number(lake, f"DELETE FROM {quoted(table)} WHERE {condition}")
    return before, before - removed


def replace(lake: "DuckDBPyConnection", table: str, sql: str) -> None:
    """Put the rows of a query in a table's place."""
    lake.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS {sql}")


def columns(lake: "DuckDBPyConnection", table: str) -> dict[str, str]:
    """The columns of a table in order, each with its type."""
    return {row[0]: row[1] for row in lake.execute(f"DESCRIBE {quoted(table)}").fetchall()}


def note_down(lake: "DuckDBPyConnection", table: str, values: Mapping[str, Sequence[Any]]) -> None:
    """Make the table `own.<table>` from columns of equal length."""
    unnested = ", ".join(f"unnest(${name}) AS {name}" for name in values)
    lake.execute(f"CREATE OR REPLACE TABLE own.{table} AS SELECT {unnested}", dict(values))
