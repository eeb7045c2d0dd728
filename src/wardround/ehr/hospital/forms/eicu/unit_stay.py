"""A time in intensive care, which is what all of eICU's tables hang on."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.patient_record import Chart, Visit
from wardround.ehr.hospital.people import Person
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import Span


@dataclass(frozen=True)
class Hospital:
    """One of the hospitals among which people are spread."""

    id: int
    beds: str
    teaching: str
    region: str
    share: float


@dataclass(frozen=True)
class UnitStay:
    """One time in intensive care.

    Attributes:
        episode: Which of the stay's times it is, from 0.
        open: Whether the person is still there at the current time.
    """

    visit: Visit
    hospital: Hospital
    episode: int
    id: int
    span: Span
    open: bool

    def offset(self, time: datetime) -> int:
        """Minutes from admission to the unit."""
        return int((time - self.span.start).total_seconds() // 60)

    def draw(self, concern: str) -> Draw:
        """A stream of draws for one concern."""
        return self.visit.stay.draw(f"unit:{self.episode}:{concern}")

    @property
    def last(self) -> bool:
        """Whether it is the stay's last time in intensive care."""
        return self.episode == len(self.visit.intensive) - 1


def unit_stays(chart: Chart) -> Iterator[UnitStay]:
    """A person's times in intensive care, in order."""
    hospital = _hospital_of(chart.person)
    for visit in chart.visits:
        for episode, care in enumerate(visit.intensive):
            span = visit.stay.intensive[episode]
            yield UnitStay(visit, hospital, episode, care.number, span, care.left is None)


@cache
def hospitals() -> tuple[Hospital, ...]:
    """All hospitals."""
    return tuple(
        Hospital(
            int(row["hospitalid"]), row["beds"], row["teaching"], row["region"], float(row["share"])
        )
        for row in table("forms/eicu_hospitals")
    )


def _hospital_of(person: Person) -> Hospital:
    shares = {hospital: hospital.share for hospital in hospitals()}
    return person.draw("hospital").weighted(shares)
