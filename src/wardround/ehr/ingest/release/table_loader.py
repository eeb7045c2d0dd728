"""Loads one file into its table: fast if intact, else record by record."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wardround.ehr.database import Target
from wardround.ehr.ingest.release.release_files import TableFile
from wardround.ehr.schema import Table, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
import gzip
import logging
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.arrow import Counted, Stream
from wardround.ehr.ingest.release.csv_reader import EXACT, FAST, ColumnSqls, rows_sql
from wardround.ehr.ingest.release.faults import write_faults
from wardround.ehr.ingest.release.ledger import Ledger, LoadedTable
from wardround.ehr.ingest.release.record_count import RecordCount, count_carefully
from wardround.ehr.schema import index_statements

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# DuckDB holds key indexes in memory and does not need them for scans: its tables are created
# without keys, which are checked after loading.
_WITHOUT_KEYS = {"duckdb"}

_MEMORY = "1GB"
# Read-ahead buffer between reader and writer.
_AHEAD = "128MB"

_log = logging.getLogger(__name__)


class StoppedError(InfraError):
    """Loading was stopped by another thread."""


class IncompleteReadError(InfraError):
    """Fast reading missed records of the file."""


@cache
def read_errors() -> tuple[type[Exception], ...]:
    """The errors of reading a file or writing a table."""
    import adbc_driver_manager
    import duckdb

    return (
        duckdb.Error,
        adbc_driver_manager.Error,
        OSError,
        EOFError,
        zlib.error,
        IncompleteReadError,
    )


class TableLoader:
    """One table being loaded.

    Attributes:
        source: Its file.
    """

    def __init__(
        self,
        source: TableFile,
        target: Target,
        ledger: Ledger,
        faults: Path,
        connection: "DuckDBPyConnection",
    ):
        self.source = source
        self._lake = connection
        self._target = target
        self._ledger = ledger
        self._faults = faults / f"{source.table.name}.csv"
        self._count = RecordCount(source)
        self._stream: Counted | None = None
        self._reader: DuckDBPyConnection | None = None
        self._stopped = False

    def run(self) -> LoadedTable:
        """Load the table: fast, or exactly if that fails; without violated constraints.

        Raises:
            read_errors(): If the file is unreadable.
            UserError: If the table is not writable.
        """
        table = loadable_table(self.source)
        created = (
            replace(table, key=(), indexes=()) if self._target.dialect in _WITHOUT_KEYS else table
        )
        readings = FAST
        with ThreadPoolExecutor(1) as pool:
            records = pool.submit(self._count.run)
            while True:
                try:
                    return self._attempt(readings, table, created, records)
                except read_errors() as error:
                    self._check_stopped(error)
                    readings, created = self._fallback(error, readings, created, records)

    def progress(self) -> tuple[int, float]:
        """Rows read so far, and the estimated share of the file."""
        rows = self._stream.rows if self._stream else 0
        return rows, min(1.0, rows / max(self._count.expected(), 1.0))

    def stop(self) -> None:
        """Stop `run` with an error and roll back; call from another thread."""
        import duckdb

        self._stopped = self._count.stopped = True
        with suppress(duckdb.ConnectionException):  # already closed
            if self._reader:
                self._reader.interrupt()

    def _fallback(
        self, error: Exception, readings: ColumnSqls, created: Table, records: Future[int]
    ) -> tuple[ColumnSqls, Table]:
        """Exact reading after a read error, no constraints after a write error."""
        if readings is FAST and (self._read_failed(error) or self._has_nul(records)):
            return EXACT, created
        if self._read_failed(error):
            raise error
        if created == (bare := without_constraints(created)):
            raise self._write_error(error) from error
        return readings, bare

    def _read_failed(self, error: Exception) -> bool:
        """True if reading failed rather than writing."""
        read = self._stream is not None and not self._stream.failed
        return not read or isinstance(
            error, (EOFError, gzip.BadGzipFile, zlib.error, IncompleteReadError)
        )

    def _has_nul(self, records: Future[int]) -> bool:
        """True if the file has NUL bytes; waits for the end of the count."""
        records.result()
        return self._count.nul

    def _write_error(self, error: Exception) -> UserError:
        return UserError(
            f"Table {self.source.table.name} cannot be written to {self._target.location} "
            f"({first_line(error)}); see to it and give the same command again: tables that are "
            "whole are kept."
        )

    def _check_stopped(self, error: Exception) -> None:
        if self._stopped:
            raise StoppedError(f"Loading of {self.source.label} was stopped.") from error
        name = type(error).__name__
        _log.info("%s is read again, record by record (%s)", self.source.label, name)

    def _attempt(
        self, readings: ColumnSqls, table: Table, created: Table, records: Future[int]
    ) -> LoadedTable:
        self._stream = None
        # A separate connection, because DuckDB accumulates rejected records for each.
        with self._lake.cursor() as connection:
            connection.execute(f"SET streaming_buffer_size = '{_AHEAD}'")
            self._reader = connection
            self._stream = Counted(Stream(connection.sql(self._rows_sql(readings))))
            with self._target.transaction():
                self._target.create(created)
                rows = self._target.load(table.name, self._stream)
                faults, counted = self._reconcile(connection, readings, rows, records.result())
                for statement in index_statements(created):
                    self._target.execute(statement)
                violations = violated_constraints(connection, self._target, table, created)
                outcome = self._outcome(rows, faults, counted, (*_notes(self.source), *violations))
                self._ledger.add(outcome)
        return outcome

    def _rows_sql(self, readings: ColumnSqls) -> str:
        return rows_sql(self.source, self._target.dialect, readings)

    def _reconcile(
        self, connection: "DuckDBPyConnection", readings: ColumnSqls, rows: int, records: int
    ) -> tuple[int, int]:
        """The numbers of faulty and of all records; fast reading must have no faulty one."""
        if readings is FAST:
            if rows != records or self._count.nul:
                raise IncompleteReadError(f"{rows} rows of {records} records")
            self._faults.unlink(missing_ok=True)
            return 0, records
        faults = write_faults(connection, self.source, self._faults)
        complete = rows + faults == records
        return faults, records if complete else count_carefully(self.source)

    def _outcome(self, rows: int, faults: int, records: int, notes: tuple[str, ...]) -> LoadedTable:
        source = self.source
        return LoadedTable(
            source.table.name, source.label, source.bytes, rows, faults, records, notes
        )


def first_line(error: Exception) -> str:
    """The first line of an engine's error message."""
    return str(error).partition("\n")[0]


def open_reader() -> "DuckDBPyConnection":
    """Open the DuckDB that reads the files."""
    import duckdb

    return duckdb.connect(config={"memory_limit": _MEMORY})


def _notes(source: TableFile) -> Iterator[str]:
    if source.missing:
        yield f"the file has no column {', '.join(source.missing)}: left empty"
    if source.additional:
        yield f"the file's column {', '.join(source.additional)} is not of this release: left out"


def loadable_table(source: TableFile) -> Table:
    """The table that a file can fill, with missing columns nullable and in no key or index."""
    table, missing = source.table, set(source.missing)
    return replace(
        table,
        columns=tuple(replace(c, null=c.null or c.name in missing) for c in table.columns),
        key=() if missing & set(table.key) else table.key,
        indexes=tuple(index for index in table.indexes if not missing & set(index)),
    )


def without_constraints(table: Table) -> Table:
    """The table without key and required columns."""
    return replace(table, columns=tuple(replace(c, null=True) for c in table.columns), key=())


def violated_constraints(
    connection: "DuckDBPyConnection", target: Target, table: Table, created: Table
) -> Iterator[str]:
    """Violations of the constraints that the table was created without, one sentence each.

    Runs within the transaction that loads the table.
    """
    name = quoted(table.name)
    required = [
        column.name
        for column, created_column in zip(table.columns, created.columns, strict=True)
        if created_column.null and not column.null
    ]
    if required:
        # One scan for all columns; the statements themselves cost more than small tables.
        empty_rows = ", ".join(f"count(*) - count({quoted(column)})" for column in required)
        counts = _numbers(connection, target, f"SELECT {empty_rows} FROM {name}")  # noqa: S608
        for column, empty in zip(required, counts, strict=True):
            if empty:
                yield f"{column} is empty in {empty:,} rows, and should be in none"
    if table.key and not created.key:
        key = ", ".join(map(quoted, table.key))
        groups = f"SELECT 1 FROM {name} GROUP BY {key} HAVING count(*) > 1"  # noqa: S608
        sql = f"SELECT count(*) FROM ({groups}) AS shared"  # noqa: S608
        [shared] = _numbers(connection, target, sql)
        if shared:
            yield f"key ({key}) is not unique: {shared:,} of its values are on more than one row"


def _numbers(connection: "DuckDBPyConnection", target: Target, sql: str) -> tuple[int, ...]:
    """The single row of a query."""
    with target.read(sql) as rows:  # noqa: F841 - DuckDB resolves it by name
        [row] = connection.execute("FROM rows").fetchall()
    return tuple(map(int, row))
