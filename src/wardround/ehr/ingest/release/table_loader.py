"""Loads one file into its table: fast if nothing is wrong with it, else record by record."""

import gzip
import logging
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database import Target
from wardround.ehr.database.arrow import Counted, Stream
from wardround.ehr.ingest.release.csv_reader import EXACT, FAST, Readings, rows_sql
from wardround.ehr.ingest.release.faults import write_faults
from wardround.ehr.ingest.release.layout import Source
from wardround.ehr.ingest.release.ledger import Ledger, Outcome
from wardround.ehr.ingest.release.record_count import RecordCount, count_carefully
from wardround.ehr.ingest.release.rules import as_far_as_there, broken_rules, without_rules
from wardround.ehr.schema import Table, index_statements

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# DuckDB keeps a key as an index, and an index in memory; its scans need none. Keys are checked
# there once the rows are in.
_SCANS = {"duckdb"}

_LAKE_MEMORY = "1GB"
# What is read ahead of the writer, so that neither waits for the other.
_AHEAD = "128MB"

_log = logging.getLogger(__name__)


class StoppedError(InfraError):
    """The loading was stopped from outside."""


class DoubtError(InfraError):
    """A fast reading that did not give every record of the file."""


@cache
def read_errors() -> tuple[type[Exception], ...]:
    """What can go wrong while a file is read or a table written."""
    import adbc_driver_manager
    import duckdb

    return (duckdb.Error, adbc_driver_manager.Error, OSError, EOFError, zlib.error, DoubtError)


class Loading:
    """One table being loaded.

    Attributes:
        source: Its file.
    """

    def __init__(
        self,
        source: Source,
        target: Target,
        ledger: Ledger,
        faults: Path,
        lake: "DuckDBPyConnection",
    ):
        self.source = source
        self._lake = lake
        self._target = target
        self._ledger = ledger
        self._faults = faults / f"{source.table.name}.csv"
        self._count = RecordCount(source)
        self._passed: Counted | None = None
        self._reader: DuckDBPyConnection | None = None
        self._stopped = False

    def run(self) -> Outcome:
        """Load it: fast, or exactly if that fails; without the rules that its rows break.

        Raises:
            read_errors(): If the file cannot be read at all.
            UserError: If the table cannot be written.
        """
        table = as_far_as_there(self.source)
        made = replace(table, key=(), indexes=()) if self._target.dialect in _SCANS else table
        readings = FAST
        with ThreadPoolExecutor(1) as pool:
            records = pool.submit(self._count.run)
            while True:
                try:
                    return self._attempt(readings, table, made, records)
                except read_errors() as error:
                    self._go_on_after(error)
                    readings, made = self._another_way(error, readings, made, records)

    def progress(self) -> tuple[int, float]:
        """Rows read so far, and about what share of the file that is."""
        rows = self._passed.rows if self._passed else 0
        return rows, min(1.0, rows / max(self._count.expected(), 1.0))

    def stop(self) -> None:
        """Let `run` end soon with an error; nothing of the table stays. For another thread."""
        import duckdb

        self._stopped = self._count.stopped = True
        with suppress(duckdb.ConnectionException):  # closed: what there was to stop has ended
            if self._reader:
                self._reader.interrupt()

    def _another_way(
        self, error: Exception, readings: Readings, made: Table, records: Future[int]
    ) -> tuple[Readings, Table]:
        """Exactly if it could not be read fast, without rules if it could not be written."""
        if readings is FAST and (self._unread(error) or self._has_nul(records)):
            return EXACT, made
        if self._unread(error):
            raise error
        if made == (bare := without_rules(made)):
            raise self._unwritten(error) from error
        return readings, bare

    def _unread(self, error: Exception) -> bool:
        """Whether it was the reading that failed, and not the writing."""
        read = self._passed is not None and not self._passed.failed
        return not read or isinstance(error, (EOFError, gzip.BadGzipFile, zlib.error, DoubtError))

    def _has_nul(self, records: Future[int]) -> bool:
        """Whether the file has what an engine may refuse to write; once it is read to its end."""
        records.result()
        return self._count.nul

    def _unwritten(self, error: Exception) -> UserError:
        return UserError(
            f"Table {self.source.table.name} cannot be written to {self._target.location} "
            f"({first_line(error)}); see to it and give the same command again: tables that are "
            "whole are kept."
        )

    def _go_on_after(self, error: Exception) -> None:
        if self._stopped:
            raise StoppedError(f"Loading of {self.source.label} was stopped.") from error
        name = type(error).__name__
        _log.info("%s is read again, record by record (%s)", self.source.label, name)

    def _attempt(
        self, readings: Readings, table: Table, made: Table, records: Future[int]
    ) -> Outcome:
        self._passed = None
        # A connection of its own, because DuckDB adds up what one of them could not read.
        with self._lake.cursor() as lake:
            lake.execute(f"SET streaming_buffer_size = '{_AHEAD}'")
            self._reader = lake
            self._passed = Counted(Stream(lake.sql(self._rows_sql(readings))))
            with self._target.transaction():
                self._target.create(made)
                rows = self._target.load(table.name, self._passed)
                faults, counted = self._reconcile(lake, readings, rows, records.result())
                for statement in index_statements(made):
                    self._target.execute(statement)
                broken = broken_rules(lake, self._target, table, made)
                outcome = self._outcome(rows, faults, counted, (*_notes(self.source), *broken))
                self._ledger.add(outcome)
        return outcome

    def _rows_sql(self, readings: Readings) -> str:
        return rows_sql(self.source, self._target.dialect, readings)

    def _reconcile(
        self, lake: "DuckDBPyConnection", readings: Readings, rows: int, records: int
    ) -> tuple[int, int]:
        """Faulty records, and all records; the fast way is not to have a faulty one."""
        if readings is FAST:
            if rows != records or self._count.nul:
                raise DoubtError(f"{rows} rows of {records} records")
            self._faults.unlink(missing_ok=True)
            return 0, records
        faults = write_faults(lake, self.source, self._faults)
        right = rows + faults == records
        return faults, records if right else count_carefully(self.source)

    def _outcome(self, rows: int, faults: int, records: int, notes: tuple[str, ...]) -> Outcome:
        source = self.source
        return Outcome(source.table.name, source.label, source.bytes, rows, faults, records, notes)


def first_line(error: Exception) -> str:
    """What an engine said, without the places in its source that some add."""
    return str(error).partition("\n")[0]


def open_lake() -> "DuckDBPyConnection":
    """The DuckDB that reads the files, apart from any that is written."""
    import duckdb

    return duckdb.connect(config={"memory_limit": _LAKE_MEMORY})


def _notes(source: Source) -> Iterator[str]:
    if source.missing:
        yield f"the file has no column {', '.join(source.missing)}: left empty"
    if source.additional:
        yield f"the file's column {', '.join(source.additional)} is not of this release: left out"
