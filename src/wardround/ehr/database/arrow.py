"""Moves rows from engine to engine in Arrow batches."""

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import (
    CFUNCTYPE,
    POINTER,
    PYFUNCTYPE,
    Structure,
    c_char_p,
    c_int,
    c_int64,
    c_void_p,
    cast,
    py_object,
    pythonapi,
)
from typing import TYPE_CHECKING, Any, ClassVar

from wardround.ehr.database.engine import ArrowStream

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection


def execute(connection: "Connection", sql: str) -> None:
    """Run one statement to completion and discard its result.

    The driver's own `execute` returns a stream and does not run the statement to its end.
    """
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query(sql)
        cursor.adbc_statement.execute_update()


def load(connection: "Connection", table: str, rows: ArrowStream) -> int:
    """Append rows to an existing table and return their number."""
    with connection.cursor() as cursor:
        return int(cursor.adbc_ingest(table, rows, mode="append"))


@contextmanager
def read(connection: "Connection", sql: str) -> Iterator[Any]:
    """The rows of a query as an Arrow stream, which DuckDB and the ADBC drivers accept."""
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_sql_query(sql)
        stream, _ = cursor.adbc_statement.execute_query()
        yield stream


class Stream:
    """Rows of a DuckDB relation, readable on any connection.

    DuckDB refuses a relation of another connection; wrapped as a plain Arrow stream, it is
    accepted.
    """

    def __init__(self, rows: ArrowStream):
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, which can be read once."""
        return self._rows.__arrow_c_stream__(requested_schema)


class Counted:
    """An Arrow stream that counts the rows passed so far.

    Attributes:
        rows: The count; another thread may read it meanwhile.
        failed: True if reading the stream failed; an error of the consumer does not set it.
    """

    def __init__(self, stream: ArrowStream):
        self._stream = stream
        self._get_next: Any = None
        self.rows = 0
        self.failed = False

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, which can be read once, and only while this object is alive."""
        try:
            capsule = self._stream.__arrow_c_stream__(requested_schema)
        except BaseException:
            self.failed = True
            raise
        stream = cast(_pointer(capsule, b"arrow_array_stream"), POINTER(_CStream)).contents
        original = _GetNext(stream.get_next)

        def get_next(this: int, batch: Any) -> int:
            status = int(original(this, batch))
            self.failed = status != 0
            if status == 0 and batch.contents.release:
                self.rows += batch.contents.length
            return status

        self._get_next = _GetNext(get_next)
        stream.get_next = cast(self._get_next, c_void_p).value
        return capsule


class _CArray(Structure):
    """Arrow's C struct of a batch; `release` is null at the end of a stream."""

    _fields_: ClassVar = [
        *((name, c_int64) for name in ("length", "nulls", "offset", "buffers", "children")),
        *((name, c_void_p) for name in ("buffer", "child", "dictionary", "release", "private")),
    ]


class _CStream(Structure):
    """The first fields of Arrow's C struct of a stream."""

    _fields_: ClassVar = [("get_schema", c_void_p), ("get_next", c_void_p)]


_GetNext = CFUNCTYPE(c_int, c_void_p, POINTER(_CArray))
_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
