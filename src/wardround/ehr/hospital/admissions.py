"""Sampling of a person's admissions within the year: their number, days and reasons."""

from datetime import date, datetime, timedelta

from wardround.ehr.hospital.catalogue import conditions, toml
from wardround.ehr.hospital.catalogue_entries import Condition
from wardround.ehr.hospital.enrichment import SHARE
from wardround.ehr.hospital.people import YEAR, Person, can_have, likelihood
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stay_events import sampled_stay
from wardround.ehr.hospital.stays import NOW, Stay, season


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
