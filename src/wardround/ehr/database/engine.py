"""Database engines: recognise a location, open it for an agent or for building, copy it."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wardround.core.errors import UserError
from wardround.core.locations import check_readable, is_url
from wardround.ehr.database.database import Database
from wardround.ehr.database.interface import Cell, ColumnInfo, Limits

if TYPE_CHECKING:
    from wardround.ehr.schema import Table

GROUP = "wardround.engines"

_COPYABLE = "give a SQLite or DuckDB file or a PostgreSQL database"


class ArrowStream(Protocol):
    """A stream of record batches, by the Arrow PyCapsule interface.

    A DuckDB relation is one.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, which can be read once."""


class TableSource(Protocol):
    """A database whose tables are read whole, such as to prepare or rename them.

    Opened read-only: others may read it meanwhile, and it may be on a read-only file system. Runs
    the project's own SQL only, never an agent's.
    """

    @property
    def location(self) -> str:
        """The database's path or URL, without a password."""

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""

    def tables(self) -> list[str]:
        """The names of existing tables, in alphabetical order."""

    def read(self, sql: str) -> AbstractContextManager[ArrowStream]:
        """The rows of a query, streamed; valid within the context only."""

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query."""

    def close(self) -> None:
        """Flush and close; idempotent."""


class Target(TableSource, Protocol):
    """A database being built: tables are created, filled and indexed, and can be read.

    Outside `transaction` each call commits.
    """

    def create(self, table: "Table") -> None:
        """Create an empty table with its keys, without its indexes."""

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows and return their number; columns have the table's names and order."""

    def execute(self, sql: str) -> None:
        """Run one statement that returns nothing."""

    def transaction(self) -> AbstractContextManager[None]:
        """Commit the block's changes, or roll back if it raises."""


class RowCopy(Protocol):
    """A copy being filled: temporary tables beside the source, and rows of it that are copied.

    Runs the project's own SQL only, never an agent's.
    """

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""

    def source(self, table: str) -> str:
        """The source's table in SQL."""

    def source_tables(self) -> list[str]:
        """The tables of the source, in the order in which they were made; no views."""

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query."""

    def execute(self, sql: str) -> None:
        """Run one statement, such as one that makes a temporary table."""

    def copy_rows(
        self, table: str, columns: Sequence[ColumnInfo], hidden: Collection[str], where: str
    ) -> None:
        """Make a table of the source's rows that meet a condition.

        Args:
            table: The table's name.
            columns: Its columns.
            hidden: The columns that are NULL in the copy.
            where: The condition.
        """


class PrivateCopy(Protocol):
    """A new database of the same engine that gets some rows of another, its source.

    It gets only the requested tables and rows. Views, triggers, enumerations, checks and statistics
    of the source are left out, since they may hold values of other rows.
    """

    @property
    def location(self) -> str:
        """The copy's path or URL."""

    def fill(self) -> AbstractContextManager[RowCopy]:
        """Fill the copy in one transaction, from the source as it is at the start.

        Raises:
            UserError: If the source is in use, or a row does not fit; no value is quoted.
        """

    def is_there(self) -> bool:
        """True unless the copy was lost, such as by a restart of its server.

        Raises:
            InfraError: If its server cannot be reached.
        """

    def close(self) -> None:
        """Remove the copy; idempotent."""


@contextmanager
def transaction(target: Target) -> Iterator[None]:
    """Commit the block's changes to a target, or roll back if it raises, by SQL statements."""
    target.execute("BEGIN")
    try:
        yield
    except BaseException:
        target.execute("ROLLBACK")
        raise
    target.execute("COMMIT")


@dataclass(frozen=True)
class Engine:
    """A database engine, declared by an entry point in `wardround.engines`.

    The entry point's module imports only this one, so that a location is recognised without
    loading an engine. An existing file is recognised by its magic bytes, a new one by its suffix.

    Attributes:
        summary: One-line description.
        reader: `module:function` that takes a location and limits and returns a `Driver`.
        writer: `module:function` that takes a location and returns a `Target`, creating a
            missing file. Empty if wardround cannot write such a database.
        source: `module:function` that takes the location of an existing database and returns a
            `TableSource`; empty if wardround cannot read whole tables of such a database.
        schemes: URL prefixes of the engine.
        suffixes: File suffixes of the engine.
        magic: Magic bytes of its files.
        magic_offset: Offset of the magic bytes in a file.
        write_advice: How to create such a database, if there is no writer.
        catalogue: `module:function` that takes a location and returns the column names of each
            table without starting a process, or an empty dict if it cannot; empty if there is
            none.
        copier: `module:function` that takes a location and a private folder and returns an empty
            `PrivateCopy`; empty if part of such a database cannot be copied.
    """

    summary: str
    reader: str
    writer: str = ""
    source: str = ""
    schemes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    magic: bytes = b""
    magic_offset: int = 0
    write_advice: str = ""
    catalogue: str = ""
    copier: str = ""

    def recognises(self, location: str) -> bool:
        """Return True if a path or URL belongs to this engine.

        >>> Engine("", "", schemes=("postgresql:",)).recognises("postgresql:ward")
        True
        """
        if is_url(location):
            return location.startswith(self.schemes)
        path = Path(location).expanduser()
        if self.magic and path.is_file() and path.stat().st_size:
            end = self.magic_offset + len(self.magic)
            return first_bytes(path, end)[self.magic_offset :] == self.magic
        return path.suffix in self.suffixes

    def open(self, location: str, limits: Limits) -> Database:
        """Open a database for an agent, sandboxed.

        Raises:
            UserError: If it does not exist or cannot be opened.
        """
        return Database(_function(self.reader)(location, limits))

    def columns(self, location: str) -> dict[str, list[str]]:
        """The column names of each table, read in this process; empty if that is not possible."""
        names: dict[str, list[str]] = _function(self.catalogue)(location) if self.catalogue else {}
        return names

    def private_copy(self, location: str, folder: Path) -> PrivateCopy:
        """Make an empty copy of a database.

        Args:
            location: The database's location.
            folder: A private folder for a copy that is a file.

        Raises:
            UserError: If parts of such a database cannot be copied, or the copy cannot be made.
        """
        if not self.copier:
            raise UserError(f"Part of database {location} cannot be copied; {_COPYABLE}.")
        copy: PrivateCopy = _function(self.copier)(location, folder)
        return copy

    def table_source(self, location: str) -> TableSource:
        """Open an existing database for reading its tables whole.

        Raises:
            UserError: If it cannot be opened.
        """
        if not self.source:
            raise UserError(f"Tables of database {location} cannot be read whole; {_COPYABLE}.")
        source: TableSource = _function(self.source)(location)
        return source

    def write(self, location: str) -> Target:
        """Open a database for building.

        Raises:
            UserError: If it cannot be written.
        """
        if not self.writer:
            raise UserError(
                f"Database {location} cannot be written by wardround; {self.write_advice}."
            )
        target: Target = _function(self.writer)(location)
        return target


@cache
def engines() -> dict[str, Engine]:
    """Every installed engine by name."""
    # Imported late: processes that run statements do not need it and must start fast.
    from wardround.core import plugins

    return {name: plugins.load(GROUP, name) for name in plugins.names(GROUP)}


def engine_of(location: str) -> Engine:
    """The engine that a location belongs to.

    Raises:
        UserError: If no engine recognises it, or it is a pipe, a socket or a device.
    """
    if not is_url(location):
        check_readable(Path(location).expanduser())
    for engine in engines().values():
        if engine.recognises(location):
            return engine
    raise UserError(
        f"Database {location} is of a kind that no installed engine ({', '.join(engines())}) knows;"
        " give a SQLite file (.sqlite), a DuckDB file (.duckdb) or a URL such as postgresql:NAME."
    )


def write_database(location: str) -> Target:
    """Open a database for building; see `Engine.write`."""
    return engine_of(location).write(location)


def first_bytes(path: Path, most: int) -> bytes:
    """Up to `most` bytes from the beginning of a file.

    Raises:
        UserError: If it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise UserError(f"Database {path} cannot be opened: {error.strerror}.") from error


def _function(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
