"""Findings of an inspection: counts, names and times, but no other values."""

from dataclasses import dataclass
from enum import StrEnum

from wardround.ehr.ingest.release.ledger import LEDGER


@dataclass(frozen=True)
class TimeSpan:
    """The range of a time column.

    Attributes:
        first: The earliest time, as "2100-12-31 23:59:00"; None for an empty column.
        last: The latest time.
        late: Rows later than the current time; 0 without a current time.
    """

    table: str
    column: str
    first: str | None
    last: str | None
    late: int = 0


@dataclass(frozen=True)
class TableFacts:
    """A table of the database: its row count and time ranges."""

    name: str
    rows: int
    spans: tuple[TimeSpan, ...] = ()


@dataclass(frozen=True)
class DuplicateKey:
    """A key that is not unique, with the number of rows beyond the first of each value."""

    table: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class DanglingReference:
    """A column with references to missing rows.

    Attributes:
        targets: The referenced columns, as "table.column".
        personal: True for a reference to a person or stay, False for one to a dictionary.
    """

    table: str
    column: str
    targets: tuple[str, ...]
    rows: int
    personal: bool


class Standing(StrEnum):
    """The suitability of a database for a benchmark."""

    SERVED = "served"
    DEGRADED = "degraded"
    OWN_TASKS = "tasks of your own run"
    OTHER_LAYOUT = "needs another layout"


@dataclass(frozen=True)
class Service:
    """The suitability of a database for one benchmark, with reasons.

    Attributes:
        reasons: Sentences on what prevents a run or would silently lower scores.
        faulty: The findings that degrade it: names of tables, or the build.
    """

    benchmark: str
    standing: Standing
    reasons: tuple[str, ...] = ()
    faulty: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """All findings of an inspection.

    Attributes:
        engine: The SQL dialect of the database.
        bytes: The file's size; None if the database is not a file.
        schema: The schema; None if unknown.
        current_time: The latest allowed time, if any.
        missing_columns: As "table.column".
        other_tables: Tables outside the schema; their keys are not checked.
        headless_tables: Tables that were read without their header, which count as missing.
    """

    location: str
    engine: str
    bytes: int | None
    schema: str | None
    current_time: str | None
    tables: tuple[TableFacts, ...]
    missing_tables: tuple[str, ...]
    missing_columns: tuple[str, ...]
    other_tables: tuple[str, ...]
    repeated: tuple[DuplicateKey, ...]
    dangling: tuple[DanglingReference, ...]
    services: tuple[Service, ...] = ()
    headless_tables: tuple[str, ...] = ()

    @property
    def half_built(self) -> bool:
        """True if a build was interrupted or is running."""
        return any(facts.name.startswith(LEDGER) for facts in self.tables)

    @property
    def degraded(self) -> bool:
        """True if a benchmark would run with silently lower scores.

        A half-built database counts as degraded even if its schema is not yet recognised.
        """
        return self.half_built or any(
            service.standing == Standing.DEGRADED for service in self.services
        )
