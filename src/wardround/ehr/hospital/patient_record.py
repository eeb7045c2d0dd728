"""Complete record of one person: demographics, stays and events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from wardround.ehr.hospital import (
    devices,
    laboratory,
    microbiology,
    nursing_chart,
    orders,
    vitals,
    wards,
)
from wardround.ehr.hospital import nursing_chart as charting
from wardround.ehr.hospital.admissions import date_of_death, stays_of
from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.catalogue_entries import Code
from wardround.ehr.hospital.fluids import FluidVolume, intake, output
from wardround.ehr.hospital.people import Person, age_band, person
from wardround.ehr.hospital.performed_procedures import PerformedProcedure, performed_procedures
from wardround.ehr.hospital.stays import Stay


@dataclass(frozen=True)
class Demographics:
    """Demographics recorded at admission, in lower case; None if not asked."""

    kind: str
    source: str
    destination: str | None
    insurance: str
    language: str
    marital: str | None


@dataclass(frozen=True)
class Visit:
    """A stay with its events, each list in time order."""

    stay: Stay
    demographics: Demographics
    transfers: Sequence[wards.Transfer]
    services: Sequence[wards.Service]
    intensive: Sequence[wards.IcuStay]
    done: Sequence[PerformedProcedure]
    results: Sequence[laboratory.Result]
    orders: Sequence[orders.Order]
    cultures: Sequence[microbiology.Culture]
    readings: Sequence[vitals.Reading]
    observations: Sequence[vitals.Reading]
    intake: Sequence[FluidVolume]
    output: Sequence[FluidVolume]
    devices: Sequence[devices.Device]
    code_status: Sequence[tuple[datetime, str]]

    def diagnoses(self, version: int) -> Iterator[tuple[str, datetime]]:
        """Distinct codes of an ICD edition, reason for the stay first."""
        listed: set[str] = set()
        for code, onset in self.codes():
            text = code.in_edition(version)
            if text and text not in listed:
                listed.add(text)
                yield text, onset

    def codes(self) -> Iterator[tuple[Code, datetime]]:
        """The codes of all problems with their onset, the reason for the stay first."""
        for problem in self.stay.problems:
            for code in problem.codes:
                yield code, problem.onset


@dataclass(frozen=True)
class PatientRecord:
    """The record of one person."""

    person: Person
    died: date | None
    visits: tuple[Visit, ...]


def patient_record(seed: int, index: int, enriched: frozenset[str] = frozenset()) -> PatientRecord:
    """The record of the person with an index."""
    someone = person(seed, index, enriched)
    stays = stays_of(someone)
    died = date_of_death(someone, stays, wards.destination(stays[-1]))
    return PatientRecord(someone, died, tuple(_visit(stay) for stay in stays))


def _visit(stay: Stay) -> Visit:
    done = performed_procedures(stay)
    return Visit(
        stay=stay,
        demographics=_demographics(stay),
        transfers=wards.transfers(stay),
        services=wards.services(stay),
        intensive=wards.icu_stays(stay),
        done=done,
        results=list(laboratory.results(stay)),
        orders=orders.orders(stay),
        cultures=sorted(microbiology.cultures(stay), key=_collection_key),
        readings=list(vitals.readings(stay)),
        observations=list(charting.observations(stay)),
        intake=sorted(intake(stay, done), key=_volume_key),
        output=sorted(output(stay, done), key=_volume_key),
        devices=devices.devices(stay, done),
        code_status=nursing_chart.code_status(stay),
    )


def _demographics(stay: Stay) -> Demographics:
    draw = stay.person.draw("papers")
    facts = toml("people")
    by_age = age_band(stay.age)
    insurance = draw.weighted({name: by[by_age] for name, by in facts["insurance"].items()})
    language = draw.weighted(facts["language"])
    marital = draw.weighted({name: by[by_age] for name, by in facts["marital"].items()})
    return Demographics(
        *wards.arrival(stay),
        wards.destination(stay),
        insurance,
        language,
        None if marital == "unknown" else marital,
    )


def _collection_key(culture: microbiology.Culture) -> tuple[datetime, str, str]:
    return culture.time, culture.specimen, culture.test


def _volume_key(volume: FluidVolume) -> tuple[datetime, int, float]:
    return volume.time, volume.item, volume.volume
