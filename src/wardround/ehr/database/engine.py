"""Database engines: recognising a location, opening it for an agent, and writing it."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.ehr.database.database import Database
from wardround.ehr.database.interface import Cell, Limits

if TYPE_CHECKING:
    from wardround.ehr.schema import Table

GROUP = "wardround.engines"


class ArrowStream(Protocol):
    """Rows in columns, as Arrow's C stream interface hands them from library to library.

    A DuckDB relation is one; see the Arrow PyCapsule interface.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream, which can be read once."""


class Target(Protocol):
    """A database that the project itself writes: tables are made, filled and indexed.

    Its SQL comes from the project alone and never from an agent. Outside a transaction every
    call is its own.
    """

    @property
    def location(self) -> str:
        """The database's path or URL, without a password."""

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""

    def tables(self) -> list[str]:
        """The tables that are there, in alphabetical order."""

    def create(self, table: "Table") -> None:
        """Make an empty table with its keys, without its indexes."""

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows in the order and under the names of the table's columns; how many."""

    def read(self, sql: str) -> AbstractContextManager[ArrowStream]:
        """The rows of a query, streamed; readable within the context only."""

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """The rows of a small query."""

    def execute(self, sql: str) -> None:
        """Run one statement that returns nothing."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that is done within takes effect together, or not at all after an exception."""

    def close(self) -> None:
        """Write everything down and let go; closing twice is fine."""


@dataclass(frozen=True)
class Engine:
    """A kind of database, as an entry point in `wardround.engines` declares it.

    The module of an entry point imports nothing else, so that a location is recognised without
    loading an engine. A file is recognised by its first bytes, a file that does not exist yet by
    its suffix.

    Attributes:
        summary: What it is, in a line.
        reader: `module:function` that takes a location and limits and gives a `Driver`.
        writer: `module:function` that takes a location and opens it for building; a file that is
            not there yet is made. Empty if wardround cannot write such a database.
        schemes: What a URL of the engine begins with.
        suffixes: What the name of one of its files ends with.
        magic: Bytes that each of its files holds.
        magic_offset: Where in the file they are.
        write_advice: How such a database comes about, if there is no writer.
        catalogue: `module:function` that takes a location and gives the column names of each
            table without a process of its own, nothing if it cannot; empty if there is none.
    """

    summary: str
    reader: str
    writer: str = ""
    schemes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    magic: bytes = b""
    magic_offset: int = 0
    write_advice: str = ""
    catalogue: str = ""

    def recognises(self, location: str) -> bool:
        """Return True if a path or URL is this engine's.

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
            UserError: If it is not there or cannot be opened.
        """
        return Database(_function(self.reader)(location, limits))

    def columns(self, location: str) -> dict[str, list[str]]:
        """The column names of each table, read without a process; empty if that is not possible."""
        names: dict[str, list[str]] = _function(self.catalogue)(location) if self.catalogue else {}
        return names

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
    # Not needed by a process that runs statements, which has to start fast.
    from wardround.core import plugins

    return {name: plugins.load(GROUP, name) for name in plugins.names(GROUP)}


def engine_of(location: str) -> Engine:
    """The engine that a location belongs to.

    Raises:
        UserError: If no engine recognises it.
    """
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
    """The beginning of a file.

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
