"""Everything that is known of one person: who, which stays, and all that happened in each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from wardround.ehr.hospital import goals, laboratory, microbiology, orders, support, vitals, wards
from wardround.ehr.hospital import nursing_chart as charting
from wardround.ehr.hospital.admissions import date_of_death, stays_of
from wardround.ehr.hospital.catalogue import Code, toml
from wardround.ehr.hospital.fluids import Volume, given, lost
from wardround.ehr.hospital.operations import Done, procedures_done
from wardround.ehr.hospital.people import Person, band, person
from wardround.ehr.hospital.stays import Stay


@dataclass(frozen=True)
class Papers:
    """What the front desk writes down, in lower case; None where nobody asked."""

    kind: str
    source: str
    destination: str | None
    insurance: str
    language: str
    marital: str | None


@dataclass(frozen=True)
class Visit:
    """A stay and all that happened in it, each list in time order."""

    stay: Stay
    papers: Papers
    places: list[wards.Place]
    services: list[wards.Service]
    intensive: list[wards.Intensive]
    done: list[Done]
    results: list[laboratory.Result]
    orders: list[orders.Order]
    cultures: list[microbiology.Culture]
    readings: list[vitals.Reading]
    observations: list[vitals.Reading]
    given: list[Volume]
    lost: list[Volume]
    devices: list[support.Device]
    goals: list[tuple[datetime, str]]

    def diagnoses(self, version: int) -> Iterator[tuple[str, datetime]]:
        """Each code of an edition of the ICD once, the reason for the stay first."""
        seen: set[str] = set()
        for code, onset in self.codes():
            text = code.in_edition(version)
            if text and text not in seen:
                seen.add(text)
                yield text, onset

    def codes(self) -> Iterator[tuple[Code, datetime]]:
        """The codes of all problems with their onset, the reason for the stay first."""
        for problem in self.stay.problems:
            for code in problem.codes:
                yield code, problem.onset


@dataclass(frozen=True)
class Chart:
    """One person's record."""

    person: Person
    died: date | None
    visits: tuple[Visit, ...]


def chart_of(seed: int, index: int) -> Chart:
    """The record of the person at a place in the hospital."""
    someone = person(seed, index)
    stays = stays_of(someone)
    died = date_of_death(someone, stays, wards.destination(stays[-1]))
    return Chart(someone, died, tuple(_visit(stay) for stay in stays))


def _visit(stay: Stay) -> Visit:
    done = procedures_done(stay)
    return Visit(
        stay=stay,
        papers=_papers(stay),
        places=wards.places(stay),
        services=wards.services(stay),
        intensive=wards.intensive_care(stay),
        done=done,
        results=list(laboratory.results(stay)),
        orders=orders.orders(stay),
        cultures=sorted(microbiology.cultures(stay), key=_taken),
        readings=list(vitals.readings(stay)),
        observations=list(charting.observations(stay)),
        given=sorted(given(stay, done), key=_when),
        lost=sorted(lost(stay, done), key=_when),
        devices=support.devices(stay, done),
        goals=goals.code_status(stay),
    )


def _papers(stay: Stay) -> Papers:
    draw = stay.person.draw("papers")
    facts = toml("people")
    by_age = band(stay.age)
    insurance = draw.weighted({name: by[by_age] for name, by in facts["insurance"].items()})
    language = draw.weighted(facts["language"])
    marital = draw.weighted({name: by[by_age] for name, by in facts["marital"].items()})
    return Papers(
        *wards.arrival(stay),
        wards.destination(stay),
        insurance,
        language,
        None if marital == "unknown" else marital,
    )


def _taken(culture: microbiology.Culture) -> tuple[datetime, str, str]:
    return culture.time, culture.specimen, culture.test


def _when(volume: Volume) -> tuple[datetime, int, float]:
    return volume.time, volume.item, volume.volume
