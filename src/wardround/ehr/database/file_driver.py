"""A database in one file, read by subprocesses, and its copies that trials may write to."""

import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore, Lock

from wardround.core.errors import UserError
from wardround.core.private_files import open_private
from wardround.core.scratch_folder import ScratchFolder, remove_abandoned
from wardround.ehr.database.driver import CATALOGUE_SECONDS
from wardround.ehr.database.file_format import FileFingerprint, FileFormat, check_length, hash_files
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
)
from wardround.ehr.database.statement_process import StatementProcess

# Linux ioctl for copy-on-write: the new file shares the old one's blocks until either is written.
_FICLONE = 0x40049409


class FileWorkspaceDriver:
    """A trial's writable copy of a file; see `WorkspaceDriver`.

    Statements commit to the copy, so `reset` copies the file again.
    """

    def __init__(self, template: Path, format: FileFormat, limits: Limits):
        self._template = template
        self._format = format
        self.dialect = format.dialect
        self._limits = limits
        self._lock = Lock()
        self._folder = ScratchFolder()
        self._path = self._folder.path / template.name
        self.name, self.url = self._path.stem, str(self._path)
        self._process: StatementProcess | None = None
        self._changed = True
        self._closed = False
        self.reset()

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one statement, which may write."""
        check_length(sql, self._limits)
        most = min(memory or self._limits.heap_bytes, self._limits.heap_bytes)
        with self._lock:
            process = self._opened_process()
            self._changed = True
            return process.run(sql, rows, seconds, most)

    def tables(self) -> list[str]:
        """The names of tables and views, in order of creation."""
        return self._format.tables(self._all_rows)

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        return self._format.columns(self._all_rows, table).get(table, [])

    def fingerprint(self) -> str:
        """A hash of the committed content of the copy."""
        return hash_files(self._format.files(self._path))

    def reset(self) -> None:
        """Restore the initial state."""
        with self._lock:
            self._check_open()
            if self._changed:
                self._end_process()
                self._copy()
                self._changed = False

    def close(self) -> None:
        """Delete the copy."""
        with self._lock:
            self._closed = True
            self._end_process()
            self._folder.close()

    def _opened_process(self) -> StatementProcess:
        self._check_open()
        if self._process is None or not self._process.alive:
            self._end_process()
            most = self._path.stat().st_size + self._limits.file_bytes
            opener, libraries = self._format.writing, self._format.libraries
            self._process = StatementProcess(opener, libraries, str(self._path), self._limits, most)
        return self._process

    def _check_open(self) -> None:
        if self._closed:
            raise UserError(f"The workspace of {self.name!r} is closed; take another one.")

    def _end_process(self) -> None:
        if self._process:
            self._process.close()
            self._process = None

    def _copy(self) -> None:
        for path in self._path.parent.iterdir():
            path.unlink()
        sources, copies = self._format.files(self._template), self._format.files(self._path)
        for source, copy in zip(sources, copies, strict=True):
            if source.exists():
                copy_file(source, copy)

    def _all_rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        return self.run(sql, None, CATALOGUE_SECONDS, None).rows


def copy_file(source: Path, copy: Path) -> None:
    """Copy a file, by copy-on-write if the file system supports it."""
    with source.open("rb") as old, open_private(copy, "wb") as new:
        try:
            fcntl.ioctl(new, _FICLONE, old.fileno())
        except OSError:
            shutil.copyfileobj(old, new, 1 << 20)


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
                    # It may still hold memory that the next statement needs.
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
        """A process that waits for work; processes that have ended are dropped."""
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
