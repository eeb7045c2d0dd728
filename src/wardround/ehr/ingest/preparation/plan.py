"""Parameters of a preparation, and the effects of its steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from wardround.ehr.ingest.preparation.recipe import Recipe

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Lee et al. 2022, 3.2 and D.1.
NOW = datetime(2105, 12, 31, 23, 59)
FIRST = datetime(2100, 1, 1)
PATIENTS = 1000
CURRENT = 0.1


@dataclass(frozen=True)
class Plan:
    """Parameters of a preparation, with the published defaults.

    Attributes:
        patients: Maximum number of sampled people.
        current: Share of people who are in hospital at the current time.
        now: The current time.
        first: The earliest start of a first visit.
        skip: Names of steps to skip.
        layout: The layout to make, such as "ehrsql_eicu"; "ehrsql_mimic_iv_star" has the columns of
            MIMIC-IV that "mimic_iv_star" renames. Empty for the default of the release.
        youngest: Minimum age at an admission, in years.
        oldest: Maximum age at an admission, in years.
    """

    seed: int = 0
    patients: int = PATIENTS
    current: float = CURRENT
    now: datetime = NOW
    first: datetime = FIRST
    skip: frozenset[str] = frozenset()
    layout: str = ""
    youngest: int = 11
    oldest: int = 89


@dataclass(frozen=True)
class Effect:
    """The effect of a step on a table.

    Attributes:
        before: Rows before the step.
        after: Rows after the step.
        changed: Remaining rows whose content changed.
        note: A remark.
    """

    step: str
    table: str
    before: int
    after: int
    changed: int = 0
    note: str = ""

    def __str__(self) -> str:
        """A line of the report.

        >>> print(Effect("units", "labevents", 61812, 61790))
        units: labevents 61,812 -> 61,790 rows
        >>> print(Effect("shift", "admissions", 129, 129, 129))
        shift: admissions 129 rows, 129 changed
        """
        rows = f"{self.after:,} rows"
        if self.before != self.after:
            rows = f"{self.before:,} -> {rows}"
        changed = f", {self.changed:,} changed" if self.changed else ""
        return f"{self.step}: {self.table} {rows}{changed}" + (f"; {self.note}" * bool(self.note))


@dataclass(frozen=True)
class Work:
    """A running preparation, with its tables in a temporary DuckDB database."""

    connection: "DuckDBPyConnection"
    recipe: Recipe
    plan: Plan


@dataclass(frozen=True)
class Step:
    """A step of the preparation, which can be skipped.

    Attributes:
        meaning: A description for the command's help.
        apply: Runs the step, yielding its effect on each table.
    """

    name: str
    meaning: str
    apply: Callable[[Work], Iterator[Effect]]
