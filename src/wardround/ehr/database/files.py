"""A database that is one file, read by processes of its own; the engine is told in `FileKind`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock

from wardround.core.errors import UserError
from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.fingerprint import FileFingerprint
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
    Workspace,
)
from wardround.ehr.database.names import find_table, quote_name
from wardround.ehr.database.statement_process import StatementProcess

Query = Callable[[str], list[tuple[Cell, ...]]]


@dataclass(frozen=True)
class FileKind:
    """What differs between engines that keep a database in a file.

    Attributes:
        dialect: The SQL dialect, as sqlglot names it.
        reading: `module:function` that opens a file for reading, as `Statements`.
        writing: The same for a file of one's own that may be written.
        logs: Endings of the files beside it that hold what is committed and not yet in it.
        tables: The tables and views, by a query function.
        columns: The columns of a table named exactly.
    """

    dialect: str
    reading: str
    writing: str
    logs: tuple[str, ...]
    tables: Callable[[Query], list[str]]
    columns: Callable[[Query, str], list[ColumnInfo]]

    def files(self, path: Path) -> tuple[Path, ...]:
        """Every file that holds the database."""
        return (path, *(path.with_name(f"{path.name}{ending}") for ending in self.logs))


class FileDatabase:
    """One file that can be read and not written; see `Database`.

    Statements that run at once each have their own process, so that one that has to be stopped
    by force takes nothing else with it. A process is kept for the next statement.
    """

    def __init__(self, path: Path, kind: FileKind, limits: Limits):
        self._path = path
        self._kind = kind
        self._limits = limits
        self._fingerprint = FileFingerprint(kind.files(path))
        self._places = BoundedSemaphore(limits.processes)
        self._lock = Lock()
        self._idle: list[StatementProcess] = []
        self._busy: list[StatementProcess] = []
        self._closed = False
        self._known: tuple[str, list[str], dict[str, list[ColumnInfo]]] = ("", [], {})

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._path.stem

    @property
    def url(self) -> str:
        """The file's path."""
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
        """Run one reading statement; see `Database.execute`."""
        check_length(sql, self._limits)
        most = min(memory or self._limits.heap_bytes, self._limits.heap_bytes)
        with self._places, self._process() as process:
            try:
                return process.run(sql, rows, seconds, most)
            except QueryError as error:
                if self._closed:
                    raise self._is_closed() from error
                if error.kind in {"limit", "timeout"}:
                    # What it still holds would be missing to the next statement.
                    process.kill()
                raise

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        return list(self._schema()[0])

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        named = find_table(self, table)
        _, columns = self._schema()
        if named not in columns:
            columns[named] = self._kind.columns(self._all_rows, named)
        return list(columns[named])

    def definition(self, table: str) -> str:
        """The table as `CREATE TABLE` text."""
        return create_table_text(find_table(self, table), self.columns(table))

    def sample(self, table: str, rows: int = 3) -> ResultTable:
        """The first rows of a table."""
        named = quote_name(find_table(self, table))
        return self.execute(f"SELECT * FROM {named} LIMIT {int(rows)}", rows=rows)  # noqa: S608

    def fingerprint(self) -> str:
        """A hash of the file's bytes, taken again only when size or time changed."""
        return self._fingerprint.value()

    def writable(self) -> Workspace:
        """A copy of one's own."""
        from wardround.ehr.database.workspace import FileWorkspace

        return FileWorkspace(self._path, self._kind, self._limits)

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
        content, names, columns = self._known
        if content != self.fingerprint():
            names, columns = self._kind.tables(self._all_rows), {}
            self._known = (self.fingerprint(), names, columns)
        return names, columns

    def _all_rows(self, sql: str) -> list[tuple[Cell, ...]]:
        return self.execute(sql, rows=None).rows

    @contextmanager
    def _process(self) -> Iterator[StatementProcess]:
        process = self._take()
        try:
            yield process
        finally:
            self._give_back(process)

    def _take(self) -> StatementProcess:
        with self._lock:
            if self._closed:
                raise self._is_closed()
            process = self._idle.pop() if self._idle else self._started()
            self._busy.append(process)
            return process

    def _started(self) -> StatementProcess:
        return StatementProcess(self._kind.reading, str(self._path.absolute()), self._limits, 0)

    def _give_back(self, process: StatementProcess) -> None:
        with self._lock:
            self._busy.remove(process)
            if process.alive and not self._closed:
                self._idle.append(process)
                return
        process.close()

    def _is_closed(self) -> UserError:
        return UserError(f"Database {self.name!r} is closed; open it again to query it.")


def check_length(sql: str, limits: Limits) -> None:
    """Refuse a statement that is too long before it is sent anywhere.

    Raises:
        QueryError: If it is.
    """
    if len(sql.encode(errors="replace")) > limits.sql_bytes:
        message = f"The statement is longer than {limits.sql_bytes:,} bytes; write a shorter one."
        raise QueryError(message, "limit")


def first_bytes(path: Path, most: int) -> bytes:
    """What a file begins with.

    Raises:
        UserError: If it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise UserError(f"Database {path} cannot be opened: {error.strerror}.") from error
