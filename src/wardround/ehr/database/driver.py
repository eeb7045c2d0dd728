"""The driver interface that each engine implements; `Database` builds on it."""

from typing import Protocol, runtime_checkable

from wardround.ehr.database.interface import ColumnInfo, ResultTable, ScanCost

# Deadline of wardround's own catalogue queries.
CATALOGUE_SECONDS = 60.0


class Driver(Protocol):
    """An open database of one engine; thread-safe."""

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
        """The names of tables and views, in order of creation."""

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of an existing table, in order; `table` has the catalogue's exact case."""

    def fingerprint(self) -> str:
        """A digest of the content: equal for a copy, different after a change."""

    def close(self) -> None:
        """Interrupt running statements and release all resources; idempotent."""


class WorkspaceDriver(Driver, Protocol):
    """A writable copy of a database that only one trial sees."""

    def reset(self) -> None:
        """Restore the initial state."""


@runtime_checkable
class CopyingDriver(Driver, Protocol):
    """A driver of an engine that supports writable copies."""

    def copy(self) -> WorkspaceDriver:
        """A writable copy of the database."""


@runtime_checkable
class SamplingDriver(Driver, Protocol):
    """A driver of an engine that can list rows more cheaply than by a query."""

    def sample(self, table: str, rows: int) -> ResultTable:
        """Some rows of an existing table."""


@runtime_checkable
class HidingDriver(Driver, Protocol):
    """A driver of an engine that can answer as if one patient were not there."""

    def hiding(self, subject_id: int) -> Driver:
        """The same database without that patient's rows; closing it leaves this one open."""


@runtime_checkable
class MeteredDriver(Driver, Protocol):
    """A driver of an engine that charges for what queries read."""

    def cost(self, sql: str) -> ScanCost:
        """The estimated cost of one statement, which is not run."""
