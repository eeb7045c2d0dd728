"""Unit stays, the key of all eICU tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.layout import TableRow, Value, named_row
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.people import Person
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span

UNIT_KEYS = 2  # leading columns of all tables of unit stays: the row's number and the stay


@dataclass(frozen=True)
class Hospital:
    """One of the hospitals of the database."""

    id: int
    beds: str
    teaching: str
    region: str
    share: float


@dataclass(frozen=True)
class UnitStay:
    """One ICU stay.

    Attributes:
        episode: Index within the hospital stay.
        open: True if not discharged by the current time.
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

    def draw(self, concern: str) -> RandomStream:
        """A random stream for one concern."""
        return self.visit.stay.draw(f"unit:{self.episode}:{concern}")

    @property
    def last(self) -> bool:
        """True for the last ICU stay of the hospital stay."""
        return self.episode == len(self.visit.intensive) - 1


def unit_row(table: str, values: Mapping[str, Value]) -> TableRow:
    """A row of a unit stay by column names, without its number and its stay, which come first."""
    name, row = named_row("eicu", table, values)
    return name, row[UNIT_KEYS:]


def unit_stays(record: PatientRecord) -> Iterator[UnitStay]:
    """A person's ICU stays, in order."""
    hospital = _hospital_of(record.person)
    for visit in record.visits:
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
