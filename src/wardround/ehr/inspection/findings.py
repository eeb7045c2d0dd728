"""What is found when a database is looked over: counts, names and times, no other value."""

from dataclasses import dataclass
from enum import StrEnum

from wardround.ehr.ingest.release.ledger import LEDGER


@dataclass(frozen=True)
class TimeSpan:
    """The times that a column holds.

    Attributes:
        first: The earliest, as "2100-12-31 23:59:00"; None where the column is empty.
        last: The latest.
        late: Rows later than the current time, 0 where no current time is asked about.
    """

    table: str
    column: str
    first: str | None
    last: str | None
    late: int = 0


@dataclass(frozen=True)
class TableFacts:
    """A table of the database: how many rows it has, and the spans of its times."""

    name: str
    rows: int
    spans: tuple[TimeSpan, ...] = ()


@dataclass(frozen=True)
class Repeated:
    """A key that is not unique: rows beyond the first of each value."""

    table: str
    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class Dangling:
    """A column that points at nothing: rows whose value is in none of the columns pointed at.

    Attributes:
        targets: The columns pointed at, as "table.column".
        personal: Whether it points at a person or a stay, and not into a dictionary.
    """

    table: str
    column: str
    targets: tuple[str, ...]
    rows: int
    personal: bool


class Standing(StrEnum):
    """How a benchmark fares with a database."""

    SERVED = "served"
    DEGRADED = "degraded"
    NOT_SERVED = "not served"


@dataclass(frozen=True)
class Service:
    """Whether a benchmark can run on a database, and what is against it.

    Attributes:
        reasons: Sentences; why not, or what would lower scores unseen.
    """

    benchmark: str
    standing: Standing
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """All that was found.

    Attributes:
        engine: The SQL dialect of the database.
        bytes: The file's size, None where the database is no file.
        schema: The schema that it has, None for one that is not known.
        current_time: The time that nothing should be later than, if there is one.
        missing_columns: As "table.column".
        other_tables: Tables that the schema does not have; their keys are not looked at.
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
    repeated: tuple[Repeated, ...]
    dangling: tuple[Dangling, ...]
    services: tuple[Service, ...] = ()

    @property
    def half_built(self) -> bool:
        """Whether a build of it was cut off, or goes on."""
        return any(facts.name.startswith(LEDGER) for facts in self.tables)

    @property
    def degraded(self) -> bool:
        """Whether some benchmark would run and give lower scores than it should.

        A half-built database may be of no known schema yet, and is degraded all the same.
        """
        return self.half_built or any(
            service.standing == Standing.DEGRADED for service in self.services
        )
