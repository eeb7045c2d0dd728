"""The engine's part of an open database; `Database` does the rest."""

from typing import Protocol, runtime_checkable

from wardround.ehr.database.interface import ColumnInfo, ResultTable

# The deadline of a query of wardround's own that reads the catalogue.
CATALOGUE_SECONDS = 60.0


class Driver(Protocol):
    """An open database of one engine; any thread may use it."""

    @property
    def name(self) -> str:
        """A short name for messages and reports."""

    @property
    def url(self) -> str:
        """The database's path or URL."""

    @property
    def dialect(self) -> str:
        """The SQL dialect, as sqlglot names it."""

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one statement; see `Database.execute`."""

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table that is there, named as the database writes it, in order."""

    def fingerprint(self) -> str:
        """A digest of the content: the same for a copy, another after a change."""

    def close(self) -> None:
        """Interrupt what runs and release everything; closing twice is fine."""


class WorkspaceDriver(Driver, Protocol):
    """A state of a database that one trial alone sees, and may write to."""

    def reset(self) -> None:
        """Go back to the state at the start."""


@runtime_checkable
class CopyingDriver(Driver, Protocol):
    """A driver of an engine on which trials can write."""

    def copy(self) -> WorkspaceDriver:
        """A state that starts as this database is."""


@runtime_checkable
class SamplingDriver(Driver, Protocol):
    """A driver of an engine that shows rows more cheaply than by a query."""

    def sample(self, table: str, rows: int) -> ResultTable:
        """Some rows of a table that is there."""
