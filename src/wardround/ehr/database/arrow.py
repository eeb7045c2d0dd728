"""Moves rows from engine to engine in Arrow batches."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wardround.ehr.database.engine import ArrowStream

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection


def execute(connection: "Connection", sql: str) -> None:
    """Run one statement to its end and drop what it returns.

    The driver's own `execute` hands back a stream and leaves the statement where it is.
    """
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query(sql)
        cursor.adbc_statement.execute_update()


def load(connection: "Connection", table: str, rows: ArrowStream) -> int:
    """Append rows to a table that is there; how many they were."""
    with connection.cursor() as cursor:
        return int(cursor.adbc_ingest(table, rows, mode="append"))


@contextmanager
def read(connection: "Connection", sql: str) -> Iterator[Any]:
    """The rows of a query as an Arrow stream, which DuckDB and the drivers here take."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query(sql)
        stream, _ = cursor.adbc_statement.execute_query()
        yield stream


class Stream:
    """Rows of a DuckDB relation, readable on any connection.

    DuckDB refuses a relation of another connection where it sees that it is one.
    """

    def __init__(self, rows: ArrowStream):
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, which can be read once."""
        return self._rows.__arrow_c_stream__(requested_schema)
