"""Reads a folder of Parquet files with Spark."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Timer
from typing import Any
from uuid import uuid4

from wardround.core.errors import UserError
from wardround.ehr.database.cells import cell
from wardround.ehr.database.driver import CATALOGUE_SECONDS
from wardround.ehr.database.interface import ColumnInfo, Limits, QueryError, ResultTable
from wardround.ehr.database.spark.parquet_folder import ParquetFolder, read_location
from wardround.ehr.database.spark.session import forget_session, plan_of, start_session


class SparkDriver:
    """Tables as Parquet files on a Spark cluster; see `Driver`.

    The memory of a statement is limited by the cluster's `spark.executor.memory`. A statement
    that kills an executor or a local session gets an error, and the next starts a new session.
    """

    dialect = "spark"

    def __init__(self, folder: ParquetFolder, limits: Limits):
        self.name, self.url = folder.path.name, folder.url
        self._folder = folder
        self._limits = limits
        self._lock = Lock()
        self._session: Any = start_session(folder, limits)
        self._closed = False

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one query; `memory` is ignored."""
        session = self._ready()
        if len(sql.encode()) > self._limits.sql_bytes:
            raise QueryError(
                f"The statement is longer than {self._limits.sql_bytes} bytes.", "limit"
            )
        with job_group(session.sparkContext, seconds) as late:
            try:
                return self._query(session, sql, rows)
            except QueryError:
                raise
            except Exception as error:
                # Spark's client raises many unrelated classes.
                if is_dead(error):
                    self._forget()
                raise explain_error(error, seconds if late.is_set() else None) from error

    def _query(self, session: Any, sql: str, rows: int | None) -> ResultTable:
        from pyspark.sql import DataFrame

        dataset = session._jvm.org.apache.spark.sql.classic.Dataset
        plan = plan_of(session, sql.strip().rstrip(";"))
        frame = DataFrame(dataset.ofRows(session._jsparkSession, plan), session)
        limited = frame if rows is None else frame.limit(rows + 1)
        collected = [tuple(cell(value) for value in row) for row in limited.collect()]
        returned = collected if rows is None else collected[:rows]
        size = sum(len(str(value)) for row in returned for value in row)
        if size > self._limits.result_bytes:
            message = (
                f"The result is larger than {self._limits.result_bytes:,} bytes; ask for less."
            )
            raise QueryError(message, "limit")
        return ResultTable(tuple(frame.columns), returned, len(collected) > len(returned))

    def tables(self) -> list[str]:
        """The tables, in alphabetical order."""
        return list(self._folder.tables())

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table; Parquet has no keys."""
        return [ColumnInfo(name, kind.upper()) for name, kind in self._ready().table(table).dtypes]

    def sample(self, table: str, rows: int) -> ResultTable:
        """The first rows of a table; overridden because Spark quotes names with backticks."""
        sql = f"SELECT * FROM `{table}` LIMIT {int(rows)}"  # noqa: S608
        return self.run(sql, rows, CATALOGUE_SECONDS, None)

    def fingerprint(self) -> str:
        """A hash of all files."""
        return self._folder.fingerprint()

    def close(self) -> None:
        """Stop the session."""
        with self._lock:
            self._closed = True
            session, self._session = self._session, None
        if session is not None:
            session.stop()

    def _ready(self) -> Any:
        with self._lock:
            if self._closed:
                raise UserError(f"Database {self.name!r} is closed; open it again to query it.")
            if self._session is None:
                self._session = start_session(self._folder, self._limits)
            return self._session

    def _forget(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            forget_session(session)


def open_folder(location: str, limits: Limits) -> SparkDriver:
    """Open a folder for reading; starts a Spark session, which takes seconds."""
    return SparkDriver(read_location(location), limits)


@contextmanager
def job_group(context: Any, seconds: float) -> Iterator[Event]:
    """Cancel the Spark jobs of the block, including those started later, after a deadline.

    Args:
        context: The Spark context of the session.
        seconds: The deadline.

    Yields:
        An event that is set when the deadline has passed.
    """
    group = uuid4().hex
    late = Event()

    def cancel() -> None:
        late.set()
        context.cancelJobGroupAndFutureJobs(group)

    context.setJobGroup(group, "a query of wardround", interruptOnCancel=True)
    timer = Timer(seconds, cancel)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        timer.join()


_CLASS = re.compile(r"\[(?P<name>[A-Z_0-9.]+)\]\s*(?P<words>[^\n]*)")
_MEMORY = ("OutOfMemoryError", "Java heap space", "maxResultSize", "ExecutorLostFailure")
_DEAD = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError")


def explain_error(error: Exception, late: float | None) -> QueryError:
    """The query error for an exception of the client.

    Args:
        error: The exception.
        late: The deadline in seconds if it has passed, else None.
    """
    if late is not None:
        return QueryError(f"The query ran longer than {late:g} s; make it simpler.", "timeout")
    if is_dead(error):
        return QueryError("The query needed more memory than Spark has; ask for less.", "limit")
    text = _text(error)
    if any(word in text for word in _MEMORY):
        return QueryError("The query needed more memory than Spark has; ask for less.", "limit")
    match = _CLASS.search(text)
    if type(error).__name__ == "ParseException" or (
        match and match["name"] == "PARSE_SYNTAX_ERROR"
    ):
        return QueryError(f"Spark cannot read the statement: {_words(match, text)}", "syntax")
    return QueryError(_words(match, text), "runtime")


def is_dead(error: Exception) -> bool:
    """Return True if the session's Java process has ended."""
    causes = {type(error).__name__}
    if error.__cause__ or error.__context__:
        causes.add(type(error.__cause__ or error.__context__).__name__)
    return bool(causes & set(_DEAD))


def _words(match: re.Match[str] | None, text: str) -> str:
    return match["words"] if match else text.splitlines()[0]


def _text(error: Exception) -> str:
    try:
        return str(error)
    except Exception:
        # The client asks the Java process for the message, which may have ended.
        return type(error).__name__
