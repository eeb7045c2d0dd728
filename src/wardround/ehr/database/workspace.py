"""A copy of a database file that one trial may write to."""

import fcntl
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from wardround.core.errors import UserError
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.files import FileKind, check_length
from wardround.ehr.database.fingerprint import hash_files
from wardround.ehr.database.interface import Cell, ColumnInfo, Limits, ResultTable
from wardround.ehr.database.names import find_table, quote_name
from wardround.ehr.database.statement_process import StatementProcess

# Linux: the new file shares the old one's blocks until either is written.
_FICLONE = 0x40049409


class FileWorkspace:
    """A database of one trial's own; see `Workspace`.

    Whatever is committed here is committed to the copy, so that going back is a new copy.
    """

    def __init__(self, template: Path, kind: FileKind, limits: Limits):
        self._template = template
        self._kind = kind
        self._limits = limits
        self._lock = Lock()
        self._folder = TemporaryDirectory(prefix="wardround-")
        self._path = Path(self._folder.name) / template.name
        self._process: StatementProcess | None = None
        self._used = True
        self._closed = False
        self.reset()

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._path.stem

    @property
    def url(self) -> str:
        """The copy's path."""
        return str(self._path)

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""
        return self._kind.dialect

    def execute(
        self,
        sql: str,
        *,
        rows: int | None = 100,
        seconds: float = 60.0,
        memory: int | None = None,
    ) -> ResultTable:
        """Run one statement, which may write; see `Workspace`."""
        check_length(sql, self._limits)
        most = min(memory or self._limits.heap_bytes, self._limits.heap_bytes)
        with self._lock:
            process = self._opened()
            self._used = True
            return process.run(sql, rows, seconds, most)

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        return self._kind.tables(self._all_rows)

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        return self._kind.columns(self._all_rows, find_table(self, table))

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text."""
        return create_table_text(find_table(self, table), self.columns(table))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""
        named = quote_name(find_table(self, table))
        return self.execute(f"SELECT * FROM {named} LIMIT {int(rows)}", rows=rows)  # noqa: S608

    def fingerprint(self) -> str:
        """A hash of what is committed to the copy."""
        return hash_files(self._kind.files(self._path))

    def writable(self) -> "FileWorkspace":
        """A workspace gives no other."""
        raise UserError(f"Database {self.name!r} is a workspace; take one from its database.")

    def reset(self) -> None:
        """Go back to the state at the start."""
        with self._lock:
            self._check_open()
            if self._used:
                self._end_process()
                self._copy()
                self._used = False

    def close(self) -> None:
        """Forget everything."""
        with self._lock:
            self._closed = True
            self._end_process()
            self._folder.cleanup()

    def _opened(self) -> StatementProcess:
        self._check_open()
        if self._process is None or not self._process.alive:
            self._end_process()
            most = self._path.stat().st_size + self._limits.file_bytes
            self._process = StatementProcess(
                self._kind.writing, str(self._path), self._limits, most
            )
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
        sources, copies = self._kind.files(self._template), self._kind.files(self._path)
        for source, copy in zip(sources, copies, strict=True):
            if source.exists():
                copy_file(source, copy)

    def _all_rows(self, sql: str) -> list[tuple[Cell, ...]]:
        return self.execute(sql, rows=None).rows


def copy_file(source: Path, copy: Path) -> None:
    """Copy a file's content, at once where the file system can share it."""
    with source.open("rb") as old, copy.open("wb") as new:
        try:
            fcntl.ioctl(new, _FICLONE, old.fileno())
        except OSError:
            shutil.copyfileobj(old, new, 1 << 20)
