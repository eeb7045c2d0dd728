"""What a stay in the hospital is: its times, its problems and how it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import Code, Condition
from wardround.ehr.hospital.people import YEAR, Person
from wardround.ehr.hospital.random_stream import Draw

NOW = datetime(YEAR, 12, 31, 23, 59)
STAYS_OF_A_PERSON = 8


@dataclass(frozen=True)
class Problem:
    """A condition within a stay, from its onset on.

    Attributes:
        strength: How strongly it moves values, 1 being usual; lasting ones keep it for life.
    """

    condition: Condition
    codes: tuple[Code, ...]
    onset: datetime
    acute: bool
    strength: float


class Span(NamedTuple):
    """From one time to another."""

    start: datetime
    end: datetime

    @property
    def hours(self) -> float:
        """How long it is."""
        return hours_between(self.start, self.end)

    def holds(self, time: datetime) -> bool:
        """Whether the time falls within it."""
        return self.start <= time < self.end


@dataclass(frozen=True)
class Stay:
    """One stay in the hospital.

    Attributes:
        number: 0 for the person's first stay of the year.
        end: Discharge, or the current time while the stay is open.
        version: Edition of the ICD in which the stay is coded, 9 or 10.
        reason: Why the person came; the first of the problems.
        problems: Reason, complications and long-standing conditions, in this order.
        operation: When the operation was, if there was one.
        intensive: The times in intensive care, in order; a second one is a return to it.
        severity: How ill the person was, 1 being usual.
        transfusions: When a unit of red cells was given.
        vaccine_due: Whether it is the person's first stay in a season of influenza vaccine.
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

    def draw(self, concern: str) -> Draw:
        """This stay's stream of draws for one concern."""
        return self.person.draw(f"{concern}:{self.number}")

    def has(self, name: str) -> bool:
        """Whether the condition of that name is among the stay's problems."""
        return any(problem.condition.name == name for problem in self.problems)

    @cached_property
    def moves(self) -> Mapping[tuple[str, str], Sequence[tuple[Problem, float]]]:
        """By "labs" or "vitals" and name: which problems move it, and how far at their worst."""
        found: dict[tuple[str, str], list[tuple[Problem, float]]] = {}
        for problem in self.problems:
            condition = problem.condition
            for measure, shifts in (("labs", condition.labs), ("vitals", condition.vitals)):
                for name, amount in shifts.items():
                    found.setdefault((measure, name), []).append(
                        (problem, amount * problem.strength)
                    )
        return found

    @property
    def age(self) -> int:
        """Age at admission in whole years."""
        return self.person.age_on(self.admitted.date())

    @property
    def critical_hours(self) -> float:
        """Hours in intensive care, all times together."""
        return sum(episode.hours for episode in self.intensive)

    @property
    def hours(self) -> float:
        """Length of the stay so far."""
        return hours_between(self.admitted, self.end)

    def episode_at(self, time: datetime) -> int | None:
        """Which of the times in intensive care that moment is in, from 0; None on the ward."""
        for number, episode in enumerate(self.intensive):
            if episode.holds(time):
                return number
        return None

    def urgent_at(self, time: datetime) -> bool:
        """Whether tests are hurried: on the first day of emergencies and in intensive care."""
        arriving = not self.planned and time < self.admitted + timedelta(hours=8)
        return arriving or self.episode_at(time) is not None

    @property
    def planned(self) -> bool:
        """Whether the person was expected: for an operation or treatment."""
        return self.reason.entry in ("surgery", "elective", "obstetric")

    def inside(self, time: datetime) -> bool:
        """Whether the time falls within the stay."""
        return self.admitted <= time < self.end


def hours_between(start: datetime, end: datetime) -> float:
    """Hours from start to end."""
    return (end - start).total_seconds() / 3600


def minutes_after(start: datetime, hours: float) -> datetime:
    """That many hours later, to the minute."""
    return start + timedelta(minutes=int(hours * 60))


def identifier(kind: int, number: int) -> int:
    """An eight-digit number that starts with `kind`, different for every number.

    From 10**7 on it has more digits: the kind is then preceded by how often 10**7 is passed.

    >>> identifier(2, 0) != identifier(2, 1), str(identifier(2, 5))[0]
    (True, '2')
    >>> identifier(2, 5 + 10**7) - identifier(2, 5)
    100000000
    """
    block, place = divmod(number, 10_000_000)
    spread = (place * 4_871_063 + 1_203_557) % 10_000_000
    return (10 * block + kind) * 10_000_000 + spread
