"""Hospital stays: times, problems and outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from wardround.ehr.hospital.catalogue_entries import Code, Condition
from wardround.ehr.hospital.people import YEAR, Person
from wardround.ehr.hospital.random_stream import RandomStream

NOW = datetime(YEAR, 12, 31, 23, 59)
STAYS_OF_A_PERSON = 8


@dataclass(frozen=True)
class Problem:
    """A condition during a stay, with its onset.

    Attributes:
        strength: The strength of its effect on values, 1 is usual; lifelong for chronic conditions.
    """

    condition: Condition
    codes: tuple[Code, ...]
    onset: datetime
    acute: bool
    strength: float


class Span(NamedTuple):
    """A time span."""

    start: datetime
    end: datetime

    @property
    def hours(self) -> float:
        """Its length in hours."""
        return hours_between(self.start, self.end)

    def holds(self, time: datetime) -> bool:
        """True if the time is within the span."""
        return self.start <= time < self.end


@dataclass(frozen=True)
class Stay:
    """One stay in the hospital.

    Attributes:
        number: 0 for the person's first stay of the year.
        end: Discharge, or the current time for an open stay.
        version: The ICD edition of its codes, 9 or 10.
        reason: The reason for admission, first of the problems.
        problems: Reason, complications and chronic conditions, in this order.
        operation: The time of the operation, if any.
        intensive: The ICU stays, in order; a second one is a readmission.
        severity: Severity of illness; 1 is usual.
        transfusions: The times of red cell units.
        vaccine_due: True for the person's first stay in an influenza vaccine season.
    """

    person: Person
    number: int
    hadm_id: int
    admitted: datetime
    end: datetime
    open: bool
    died: bool
    version: int
    reason: Condition
    problems: tuple[Problem, ...]
    operation: datetime | None
    intensive: tuple[Span, ...]
    severity: float
    transfusions: tuple[datetime, ...]
    vaccine_due: bool

    def draw(self, concern: str) -> RandomStream:
        """This stay's random stream for one concern."""
        return self.person.draw(f"{concern}:{self.number}")

    def has(self, name: str) -> bool:
        """True if a problem of the stay has that name."""
        return any(problem.condition.name == name for problem in self.problems)

    @cached_property
    def moves(self) -> Mapping[tuple[str, str], Sequence[tuple[Problem, float]]]:
        """Problems that affect a value, with their maximum effect, by measure and name."""
        effects: dict[tuple[str, str], list[tuple[Problem, float]]] = {}
        for problem in self.problems:
            condition = problem.condition
            for measure, shifts in (("labs", condition.labs), ("vitals", condition.vitals)):
                for name, amount in shifts.items():
                    effects.setdefault((measure, name), []).append(
                        (problem, amount * problem.strength)
                    )
        return effects

    @property
    def age(self) -> int:
        """Age at admission in whole years."""
        return self.person.age_on(self.admitted.date())

    @property
    def hours(self) -> float:
        """Length of the stay so far."""
        return hours_between(self.admitted, self.end)

    def episode_at(self, time: datetime) -> int | None:
        """The index of the ICU stay at a time; None on a ward."""
        for number, episode in enumerate(self.intensive):
            if episode.holds(time):
                return number
        return None

    def urgent_at(self, time: datetime) -> bool:
        """True if tests are urgent: on the first day of emergencies and in intensive care."""
        arriving = not self.planned and time < self.admitted + timedelta(hours=8)
        return arriving or self.episode_at(time) is not None

    @property
    def planned(self) -> bool:
        """True for an elective admission."""
        return self.reason.entry in ("surgery", "elective", "obstetric")

    def inside(self, time: datetime) -> bool:
        """True if the time is within the stay."""
        return self.admitted <= time < self.end


def hours_between(start: datetime, end: datetime) -> float:
    """Hours from start to end."""
    return (end - start).total_seconds() / 3600


def minutes_after(start: datetime, hours: float) -> datetime:
    """The time a number of hours later, to the minute."""
    return start + timedelta(minutes=int(hours * 60))


def identifier(kind: int, number: int) -> int:
    """A unique eight-digit number that starts with `kind`.

    From 10**7 on it has more digits: the quotient by 10**7 precedes the kind.

    >>> identifier(2, 0) != identifier(2, 1), str(identifier(2, 5))[0]
    (True, '2')
    >>> identifier(2, 5 + 10**7) - identifier(2, 5)
    100000000
    """
    block, position = divmod(number, 10_000_000)
    spread = (position * 4_871_063 + 1_203_557) % 10_000_000
    return (10 * block + kind) * 10_000_000 + spread


def season(day: datetime) -> int:
    """The influenza season of a day: 1 until March, 2 from October, else 0."""
    return 1 if day.month <= 3 else 2 * (day.month >= 10)
