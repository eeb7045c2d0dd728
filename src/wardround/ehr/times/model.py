"""What a time filter is: a row of the paper's time templates, its meaning, and its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class TimeFilter:
    """A time template with its values, as in a question: "since 07/2102".

    Raises:
        ValueError: If a value is missing, unknown or outside its range, or names no day of any
            calendar (`wardround.ehr.times.value_range`).
    """

    template: TimeTemplate
    values: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        from wardround.ehr.times.ranges import check_values

        check_values(self.template, self.values)


@dataclass(frozen=True)
class TimeTag:
    """The time filters of one question, by slot (EHRSQL, B.3: T_tag)."""

    global1: TimeFilter | None = None
    global2: TimeFilter | None = None
    within: TimeFilter | None = None
    exact1: TimeFilter | None = None
    exact2: TimeFilter | None = None

    @property
    def filters(self) -> tuple[TimeFilter | None, ...]:
        """The five slots in the published order."""
        return (self.global1, self.global2, self.within, self.exact1, self.exact2)

    @property
    def ids(self) -> tuple[str, ...]:
        """The templates' names in the published order, empty where a slot is."""
        return tuple(filter.template.id if filter else "" for filter in self.filters)
