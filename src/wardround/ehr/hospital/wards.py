"""Transfers: emergency room, wards, recovery, intensive care and discharge."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.people import age_band
from wardround.ehr.hospital.stays import STAYS_OF_A_PERSON, Stay, identifier, minutes_after

PLACES_OF_A_STAY = 12
# The last numbers of a stay's transfers are reserved for ICU stays.
_INTENSIVE = 10


class Transfer(NamedTuple):
    """A time in one unit; unit is None for the discharge, left is None for the last unit."""

    number: int
    kind: str
    unit: str | None
    came: datetime
    left: datetime | None


class IcuStay(NamedTuple):
    """An ICU stay; left is None if it is open."""

    number: int
    unit: str
    came: datetime
    left: datetime | None


def transfers(stay: Stay) -> list[Transfer]:
    """The transfers of a stay, in time order."""
    spans = list(_spans(stay))
    places: list[Transfer] = []
    for order, (unit, came, left) in enumerate(spans):
        kind = "ed" if unit == "emergency department" else "transfer"
        if kind != "ed" and not any(transfer.kind == "admit" for transfer in places):
            kind = "admit"
        still = stay.open and order == len(spans) - 1
        places.append(Transfer(_number(stay, order), kind, unit, came, None if still else left))
    if not stay.open:
        places.append(Transfer(_number(stay, len(spans)), "discharge", None, stay.end, None))
    return places


def icu_stays(stay: Stay) -> list[IcuStay]:
    """The ICU stays, in time order."""
    return [
        IcuStay(
            _number(stay, _INTENSIVE + order),
            _unit(stay),
            episode.start,
            None if stay.open and episode.end >= stay.end else episode.end,
        )
        for order, episode in enumerate(stay.intensive)
    ]


class Service(NamedTuple):
    """The responsible service from a time on, by MIMIC-IV's abbreviation."""

    time: datetime
    previous: str | None
    current: str


def services(stay: Stay) -> list[Service]:
    """The services of a stay in time order; a second one if the ward's differs from the ICU's."""
    facts = toml("wards")["services"]
    first: str = stay.draw("service").weighted(facts["wards"][stay.reason.ward])
    sequence = [Service(stay.admitted, None, first)]
    draw = stay.draw("services")
    unit = facts["units"].get(stay.reason.unit, first)
    if stay.intensive and unit != first and draw.chance(0.35):
        episode = stay.intensive[0]
        sequence.append(Service(episode.start, first, unit))
        if episode.end < stay.end:
            sequence.append(Service(episode.end, unit, first))
    return sequence


def arrival(stay: Stay) -> tuple[str, str]:
    """The type and the source of the admission."""
    draw = stay.draw("arrival")
    entry = toml("people")["entry"][stay.reason.entry]
    source = draw.weighted(entry["sources"])
    return draw.weighted(entry["types"]), source


def destination(stay: Stay) -> str | None:
    """The discharge destination; None if the stay is open."""
    if stay.open:
        return None
    if stay.died:
        return "died"
    frail = min(3, age_band(stay.age) + (stay.operation is not None or bool(stay.intensive)))
    shares = toml("people")["destination"]
    if stay.hours < 48 or (stay.reason.sex == "f" and stay.reason.ages[1] < 50):
        frail = 0
    chances: dict[str, float] = {name: by[frail] for name, by in shares.items()}
    return stay.draw("destination").weighted(chances)


def _number(stay: Stay, order: int) -> int:
    person_stays = stay.person.index * STAYS_OF_A_PERSON + stay.number
    return identifier(3, person_stays * PLACES_OF_A_STAY + order)


def _unit(stay: Stay) -> str:
    chances: dict[str, float] = toml("wards")["units"][stay.reason.unit]
    return stay.draw("unit").weighted(chances)


def _ward(stay: Stay) -> str:
    chances: dict[str, float] = toml("wards")["wards"][stay.reason.ward]
    return stay.draw("ward").weighted(chances)


def _spans(stay: Stay) -> Iterator[tuple[str, datetime, datetime]]:
    """Units with start and end times, without gaps."""
    start = stay.admitted
    _, source = arrival(stay)
    if source == "emergency room":
        draw = stay.draw("emergency")
        start = minutes_after(stay.admitted, draw.between(0.2, 0.45))
        yield "emergency department", minutes_after(stay.admitted, -draw.between(1.5, 7)), start
    for unit, until in _stations(stay):
        if until > start:
            yield unit, start, until
            start = until


def _stations(stay: Stay) -> Iterator[tuple[str, datetime]]:
    """Units in order, each with its end time."""
    ward = _ward(stay)
    if stay.operation is not None:
        yield ward, stay.operation
        recovered = stay.operation + timedelta(hours=stay.draw("recovery").whole(3, 5))
        if stay.intensive and stay.intensive[0].start < recovered + timedelta(hours=4):
            recovered = stay.intensive[0].start
        yield "pacu", min(recovered, stay.end)
    for episode in stay.intensive:
        yield ward, episode.start
        yield _unit(stay), episode.end
    yield ward, stay.end
