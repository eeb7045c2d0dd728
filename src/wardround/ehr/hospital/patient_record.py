"""Complete record of one person: demographics, stays and events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

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
from wardround.ehr.hospital.catalogue import conditions, toml
from wardround.ehr.hospital.catalogue_entries import Code, Condition
from wardround.ehr.hospital.enrichment import SHARE
from wardround.ehr.hospital.fluids import FluidVolume, intake, output
from wardround.ehr.hospital.people import YEAR, Person, age_band, can_have, likelihood, person
from wardround.ehr.hospital.performed_procedures import PerformedProcedure, performed_procedures
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stay_events import sampled_stay
from wardround.ehr.hospital.stays import NOW, Stay, season


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


def stays_of(person: Person) -> list[Stay]:
    """The stays of one person within the year, in time order."""
    draw = person.draw("stays")
    facts = toml("people")
    most_stays = int(draw.weighted(facts["admissions"]))
    stays: list[Stay] = []
    day = _first_day(draw)
    histories = {condition.name: condition for condition in person.histories}
    while len(stays) < most_stays and day < NOW:
        reason = _reason(draw, person, histories, stays, day)
        for name in reason.needs:
            histories.setdefault(name, conditions("chronic")[name])
        seasons = {season(stay.admitted) for stay in stays}
        stay = sampled_stay(
            draw, person, len(stays), day, reason, list(histories.values()), seasons
        )
        stays.append(stay)
        if stay.died or stay.open:
            break
        for name in reason.leaves:
            histories.setdefault(name, conditions("chronic")[name])
        day = stay.end + timedelta(days=draw.quantile(facts["gap"]))
    return stays


def date_of_death(person: Person, stays: list[Stay], destination: str | None) -> date | None:
    """The date of death, if it is within the year."""
    last = stays[-1]
    if last.died:
        return last.end.date()
    draw = person.draw("death")
    if draw.chance(toml("people")["death_after"].get(destination, 0.0)):
        day = last.end.date() + timedelta(days=draw.whole(2, 90))
        return day if day < NOW.date() else None
    return None


def _first_day(draw: RandomStream) -> datetime:
    facts = toml("people")
    if draw.chance(facts["late"]):
        return NOW - timedelta(days=draw.between(0.2, facts["late_days"]))
    return datetime(YEAR, 1, 1) + timedelta(days=draw.between(0, 340))


def _reason(
    draw: RandomStream,
    person: Person,
    histories: dict[str, Condition],
    stays: list[Stay],
    day: datetime,
) -> Condition:
    if stays and draw.chance(stays[-1].reason.returns) and not stays[-1].reason.months:
        return stays[-1].reason
    excluded = {stay.reason.name for stay in stays if stay.reason.once}
    age = person.age_on(date(YEAR, 7, 1))
    weights = {
        name: likelihood(condition, condition.weight, age, person.female, set(histories))
        for name, condition in conditions("acute").items()
        if name not in excluded
        and day.month in (condition.months or (day.month,))
        and _possible(condition, person, age, histories)
    }
    return conditions("acute")[draw.weighted(_enriched(weights, person.enriched))]


def _enriched(weights: dict[str, float], names: frozenset[str]) -> dict[str, float]:
    """The weights with those of enriched reasons raised to their part of all admissions."""
    chosen = sum(weight for name, weight in weights.items() if name in names)
    others = sum(weights.values()) - chosen
    if not chosen or chosen > SHARE * (chosen + others):
        return weights
    factor = others * SHARE / (1 - SHARE) / chosen
    return {name: weight * factor if name in names else weight for name, weight in weights.items()}


def _possible(
    condition: Condition, person: Person, age: int, histories: dict[str, Condition]
) -> bool:
    """True if the condition's prerequisites match the person."""
    missing = [conditions("chronic")[name] for name in condition.needs if name not in histories]
    barred = {name for history in histories.values() for name in history.excludes}
    return all(
        can_have(need, age, person.female)
        and need.name not in barred
        and not set(need.excludes) & set(histories)
        for need in missing
    )
