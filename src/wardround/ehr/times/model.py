"""Time templates: rows of the published table with their meaning as data."""

from dataclasses import dataclass
from typing import Literal, get_args

Unit = Literal["year", "month", "day"]
Comparison = Literal["=", "<=", ">="]
Stay = Literal["hospital", "icu"]
_UNITS: tuple[Unit, ...] = get_args(Unit)  # the coarsest first


def coarser(unit: Unit, other: Unit | None) -> Unit:
    """The coarser of two units; the first if there is one only.

    >>> coarser("day", "year"), coarser("month", None)
    ('year', 'month')
    """
    return min(unit, other or unit, key=_UNITS.index)


@dataclass(frozen=True)
class Period:
    """Compares the time's year, month or day with that of `back` units ago ("last year")."""

    unit: Unit
    comparison: Comparison
    back: int


@dataclass(frozen=True)
class Ago:
    """Compares the time with a number of units before now ("since 3 years ago")."""

    unit: Unit
    comparison: Comparison


@dataclass(frozen=True)
class Calendar:
    """Compares the time's year, month or day with a calendar date ("until 07/2102")."""

    unit: Unit
    comparison: Comparison


@dataclass(frozen=True)
class Part:
    """A month or day of the current or previous year or month ("in 07/last year").

    Attributes:
        unit: The named unit: a month, or a day (with its month if the period is a year).
        of: The unit of the period that contains it.
        back: The number of periods ago.
    """

    unit: Unit
    of: Unit
    back: int


@dataclass(frozen=True)
class Visit:
    """One of a patient's stays in the hospital or in an ICU."""

    stay: Stay
    which: Literal["first", "last", "current"]


@dataclass(frozen=True)
class SameVisit:
    """Two events of one stay."""

    stay: Stay


@dataclass(frozen=True)
class SamePeriod:
    """Two times in one calendar year, month or day."""

    unit: Unit


@dataclass(frozen=True)
class Following:
    """The second time lies at most a number of units after the first."""

    unit: Unit


@dataclass(frozen=True)
class SameMoment:
    """Two equal times."""


@dataclass(frozen=True)
class Rank:
    """One row by its rank in time: first, second, second to last, last."""

    descending: bool
    offset: int


@dataclass(frozen=True)
class Moment:
    """The row of an exact time."""


Meaning = (
    Period
    | Ago
    | Calendar
    | Part
    | Visit
    | SameVisit
    | SamePeriod
    | Following
    | SameMoment
    | Rank
    | Moment
)


@dataclass(frozen=True)
class TimeTemplate:
    """One row of the time templates (Lee et al. 2022, Table 8).

    Attributes:
        id: The name in the published files' `t_tag`, if they use the row.
        role: The slot of a question that it fills.
        expression: "relative", "absolute", "mix", or "" for a `within`.
        interval: "in", "until", "since" or "at".
        option: "first", "last", "current", "this" or "".
        words: The wording, with `{name}` for values and `(s)` after a counted unit.
        values: Names of the required values, largest unit first.
    """

    id: str
    role: Literal["global", "within", "exact"]
    expression: str
    unit: str
    interval: str
    option: str
    words: str
    meaning: Meaning
    values: tuple[str, ...]
