"""What a database engine offers: opening for an agent, and writing for whoever builds."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Protocol

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Cell, Database, Limits

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
        """Where the database is: a path or a URL, without a password."""

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


class Engine(Protocol):
    """One kind of database, found by the name of its entry point in `wardround.engines`."""

    def recognises(self, location: str) -> bool:
        """Whether a location (path or URL) is this engine's, by its looks or its first bytes."""

    def open(self, location: str, limits: Limits) -> Database:
        """Open a database for an agent, sandboxed.

        Raises:
            UserError: If it is not there or cannot be opened.
        """

    def write(self, location: str) -> Target:
        """Open a database for building; a file that is not there yet is made.

        Raises:
            UserError: If it cannot be written.
        """


@cache
def engines() -> dict[str, Engine]:
    """Every installed engine by name."""
    # A process that runs statements imports this package, and has to start fast.
    from wardround.core import plugins

    return {name: plugins.load(GROUP, name)() for name in plugins.names(GROUP)}


def engine_of(location: str) -> Engine:
    """The engine that a location belongs to.

    Raises:
        UserError: If no engine knows it.
    """
    for engine in _known(location):
        return engine
    raise UserError(
        f"Database {location} is of a kind that no installed engine ({', '.join(engines())}) knows;"
        " give a SQLite file (.sqlite), a DuckDB file (.duckdb) or a URL such as postgresql:NAME."
    )


def _known(location: str) -> Iterator[Engine]:
    return (engine for engine in engines().values() if engine.recognises(location))


def write_database(location: str) -> Target:
    """Open a database for building; see `Engine.write`."""
    return engine_of(location).write(location)
