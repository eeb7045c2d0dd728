"""A database in one file, read by subprocesses."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore, Lock

from wardround.core.errors import UserError
from wardround.core.scratch_folder import remove_abandoned
from wardround.ehr.database.driver import CATALOGUE_SECONDS
from wardround.ehr.database.file_format import FileFormat, check_length
from wardround.ehr.database.file_workspace import FileWorkspaceDriver
from wardround.ehr.database.fingerprint import FileFingerprint
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
)
from wardround.ehr.database.statement_process import StatementProcess


class FileDriver:
    """A read-only database file; see `Driver`.

    Concurrent statements run in separate processes, so that killing one affects no other. Idle
    processes are reused.
    """

    def __init__(self, path: Path, format: FileFormat, limits: Limits):
        # Copies left by killed processes contain patient data.
        remove_abandoned()
        self._path = path
        self.name, self.url = path.stem, str(path)
        self._format = format
        self.dialect = format.dialect
        self._limits = limits
        self._fingerprint = FileFingerprint(format.files(path))
        self._turns = BoundedSemaphore(limits.processes)
        self._lock = Lock()
        self._idle: list[StatementProcess] = []
        self._busy: list[StatementProcess] = []
        self._closed = False
        self._cached: tuple[str, list[str], dict[str, list[ColumnInfo]]] = ("", [], {})

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one read-only statement in an idle or new process."""
        check_length(sql, self._limits)
        most = min(memory or self._limits.heap_bytes, self._limits.heap_bytes)
        with self._turns, self._borrowed_process() as process:
            try:
                return process.run(sql, rows, seconds, most)
            except QueryError as error:
                if self._closed:
                    raise self._closed_error() from error
                if error.kind in {"limit", "timeout"}:
                    # It may still hold the memory, which the next statement would lack.
                    process.kill()
                raise

    def tables(self) -> list[str]:
        """The names of tables and views, in order of creation."""
        return list(self._schema()[0])

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        _, columns = self._schema()
        if table not in columns:
            columns.update(self._format.columns(self._all_rows, table))
        return list(columns.get(table, ()))

    def fingerprint(self) -> str:
        """A hash of the file's bytes, cached until its size or modification time changes."""
        return self._fingerprint.value()

    def copy(self) -> FileWorkspaceDriver:
        """A writable copy of the file for one trial."""
        return FileWorkspaceDriver(self._path, self._format, self._limits)

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for process in self._busy:
                process.kill()
        for process in idle:
            process.close()

    def _schema(self) -> tuple[list[str], dict[str, list[ColumnInfo]]]:
        fingerprint, names, columns = self._cached
        if fingerprint != self.fingerprint():
            names, columns = self._format.tables(self._all_rows), {}
            self._cached = (self.fingerprint(), names, columns)
        return names, columns

    def _all_rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        return self.run(sql, None, CATALOGUE_SECONDS, None).rows

    @contextmanager
    def _borrowed_process(self) -> Iterator[StatementProcess]:
        process = self._take()
        try:
            yield process
        finally:
            self._give_back(process)

    def _take(self) -> StatementProcess:
        with self._lock:
            if self._closed:
                raise self._closed_error()
            process = self._idle_process() or self._start()
            self._busy.append(process)
            return process

    def _idle_process(self) -> StatementProcess | None:
        """A process that waits for work; those that have ended meanwhile are forgotten."""
        while self._idle:
            process = self._idle.pop()
            if process.alive:
                return process
            process.close()
        return None

    def _start(self) -> StatementProcess:
        opener, path = self._format.reading, str(self._path.absolute())
        return StatementProcess(opener, self._format.libraries, path, self._limits, 0)

    def _give_back(self, process: StatementProcess) -> None:
        with self._lock:
            self._busy.remove(process)
            if process.alive and not self._closed:
                self._idle.append(process)
                return
        process.close()

    def _closed_error(self) -> UserError:
        return UserError(f"Database {self.name!r} is closed; open it again to query it.")
