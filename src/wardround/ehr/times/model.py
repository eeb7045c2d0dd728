"""What a time template is: a row of the paper's table, and its meaning as data."""

from dataclasses import dataclass
from typing import Literal

Dialect = Literal["sqlite", "duckdb", "postgres"]
Unit = Literal["year", "month", "day"]
Comparison = Literal["=", "<=", ">="]
Stay = Literal["hospital", "icu"]


@dataclass(frozen=True)
class Period:
    """The time's year, month or day against the current one, `back` of them ago ("last year")."""

    unit: Unit
    comparison: Comparison
    back: int


@dataclass(frozen=True)
class Ago:
    """The time against the moment a number of units before now ("since 3 years ago")."""

    unit: Unit
    comparison: Comparison


@dataclass(frozen=True)
class Calendar:
    """The time's year, month or day against a calendar date ("until 07/2102")."""

    unit: Unit
    comparison: Comparison


@dataclass(frozen=True)
class Part:
    """A month or a day within the current year or month, or the one before ("in 07/last year").

    Attributes:
        unit: What is named: a month, or a day (with its month, where the period is a year).
        of: The period it lies in.
        back: How many periods ago that is.
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
    """The second time no earlier than the first, and at most so many units after it."""

    unit: Unit


@dataclass(frozen=True)
class SameMoment:
    """Two equal times."""


@dataclass(frozen=True)
class Rank:
    """One row by its time: the first, the second, the second to last, the last."""

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
    """One row of the time templates (EHRSQL, Table 8).

    Attributes:
        id: The name that the published files' `t_tag` uses, where they use the row.
        role: Which slot of a question it fills.
        expression: "relative", "absolute", "mix", or "" for a `within`.
        interval: "in", "until", "since" or "at".
        option: "first", "last", "current", "this" or "".
        words: Our wording, with `{name}` where a value stands and `(s)` after a counted unit.
        values: The names of the values it needs, largest unit first.
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
