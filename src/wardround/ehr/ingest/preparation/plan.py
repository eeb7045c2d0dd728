"""Parameters of a preparation, and the effects of its steps."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from wardround.ehr.ingest.preparation.recipe import Recipe

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Lee et al. 2022, D.1.
FIRST = datetime(2100, 1, 1)
PATIENTS = 1000
CURRENT = 0.1

# Steps that make another record of it: fewer patients, other times, values of others, made costs.
RECORD_CHANGES = frozenset({"ages", "sample", "shift", "now", "shuffle", "cost"})


@dataclass(frozen=True)
class Plan:
    """Parameters of a preparation, with the published defaults.

    Attributes:
        patients: Maximum number of sampled people.
        current: Share of people who are in hospital at the current time.
        now: The current time; None for that of the layout's questions.
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
    now: datetime | None = None
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


def step_lines(effects: Iterable[Effect]) -> Iterator[str]:
    """One line for each step as it ends, and a total of the written rows.

    >>> shifted = [Effect("shift", "stays", 9, 9, 9), Effect("shift", "labs", 20, 20, 19)]
    >>> for line in step_lines([*shifted, Effect("write", "stays", 9, 9)]):
    ...     print(line)
    shift: 2 tables 29 rows, 28 changed
    write: stays 9 rows
    total: stays, 9 rows
    """
    for _, group in groupby(effects, lambda effect: effect.step):
        merged = _merged(list(group))
        yield str(merged)
    yield f"total: {merged.table}, {merged.after:,} rows"


def _merged(effects: Sequence[Effect]) -> Effect:
    """The total effect of a step on all its tables; people count only if no other table changes."""
    tables = {each.table: each for each in effects if each.table != "people"}
    if not tables or len(effects) == 1:
        return effects[0]
    counted = [each for each in effects if each.table in tables]
    # A step can add to one table several times.
    first = {each.table: each for each in reversed(counted)}
    return Effect(
        effects[0].step,
        f"{len(tables)} tables" if len(tables) > 1 else next(iter(tables)),
        sum(each.before for each in first.values()),
        sum(each.after for each in tables.values()),
        sum(each.changed for each in counted),
        "; ".join(dict.fromkeys(each.note for each in effects if each.note)),
    )


@dataclass(frozen=True)
class Work:
    """A running preparation, with its tables in a temporary DuckDB database."""

    connection: "DuckDBPyConnection"
    recipe: Recipe
    plan: Plan

    @property
    def now(self) -> datetime:
        """The current time."""
        return self.plan.now or self.recipe.now


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
