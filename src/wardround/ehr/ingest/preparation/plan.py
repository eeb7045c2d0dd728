"""What a preparation is asked for, and what each of its steps did."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from wardround.ehr.ingest.preparation.form import Form

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# EHRSQL §3.2 and D.1.
NOW = datetime(2105, 12, 31, 23, 59)
FIRST = datetime(2100, 1, 1)
PATIENTS = 1000
CURRENT = 0.1


@dataclass(frozen=True)
class Plan:
    """What is asked for; the defaults are EHRSQL's.

    Attributes:
        patients: How many people are sampled, at most.
        current: Share of them who are in hospital now.
        now: The current time.
        first: The earliest day of a first visit.
        skip: Names of steps to leave out.
        layout: The layout to make, such as "ehrsql_eicu"; "ehrsql_mimic_iv_star" has the columns of
            MIMIC-IV that "mimic_iv_star" renames. Empty for that of the release.
        youngest: Least age at an admission, in years.
        oldest: Greatest age at an admission, in years.
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
    """What a step did to a table.

    Attributes:
        before: Rows before the step.
        after: Rows after it.
        changed: Rows of those that stayed whose content the step changed.
        note: What else there is to know, in a sentence.
    """

    step: str
    table: str
    before: int
    after: int
    changed: int = 0
    note: str = ""

    def __str__(self) -> str:
        """A line for a person.

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
    """A preparation under way: its tables lie in a DuckDB database of its own."""

    lake: "DuckDBPyConnection"
    form: Form
    plan: Plan


@dataclass(frozen=True)
class Step:
    """One thing that is done to the tables, and may be left out.

    Attributes:
        meaning: What it does, for the command's help.
        apply: Does it, and tells its effect table by table.
    """

    name: str
    meaning: str
    apply: Callable[[Work], Iterator[Effect]]
