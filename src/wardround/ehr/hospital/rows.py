"""One person's rows of every table, in the columns of the original MIMIC-IV form of EHRSQL."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from wardround.ehr.hospital import laboratory, microbiology, orders, vitals, wards
from wardround.ehr.hospital.admitting import date_of_death, stays_of
from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.charges import DIAGNOSIS, charge
from wardround.ehr.hospital.fluids import Volume, given, lost
from wardround.ehr.hospital.operations import Done, procedures_done
from wardround.ehr.hospital.people import band, person
from wardround.ehr.hospital.stays import Stay

Value = str | int | float | None
Row = tuple[Value, ...]


class Line(NamedTuple):
    """A row of a table without its number, and what it costs where something is charged."""

    table: str
    row: Row
    price: float | None = None
    charged: str = ""


def lines_of(seed: int, index: int) -> Iterator[Line]:
    """All rows of one person."""
    someone = person(seed, index)
    stays = stays_of(someone)
    died = date_of_death(someone, stays, wards.destination(stays[-1]))
    gender = "f" if someone.female else "m"
    gone = _midnight(died) if died else None
    yield Line("patients", (someone.subject_id, gender, _midnight(someone.born), gone))
    for stay in stays:
        yield from _stay(stay)


def _stay(stay: Stay) -> Iterator[Line]:
    ids = (stay.person.subject_id, stay.hadm_id)
    done = procedures_done(stay)
    yield Line("admissions", (*ids, *_admission(stay)))
    yield from _charged_lines(stay, ids, done)
    for culture in microbiology.cultures(stay):
        yield Line("microbiologyevents", (*ids, _text(culture.time), *culture[1:]))
    for place in wards.places(stay):
        yield Line("transfers", (*ids, *place[:3], _text(place.came), _text_or_none(place.left)))
    yield from _intensive(stay, ids, done)


def _charged_lines(stay: Stay, ids: tuple[int, int], done: list[Done]) -> Iterator[Line]:
    """The rows that cost something: diagnoses, procedures, results and orders."""
    draw = stay.draw("prices")
    for code, onset in _diagnoses(stay):
        at = _text(onset)
        yield Line("diagnoses_icd", (*ids, code, stay.version, at), charge(draw, DIAGNOSIS), at)
    for procedure, time in done:
        at = _text(time)
        row: Row = (*ids, procedure.in_edition(stay.version), stay.version, at)
        yield Line("procedures_icd", row, charge(draw, procedure.price), at)
    for lab, time, value in laboratory.results(stay):
        at = _text(time)
        row = (*ids, lab.itemid, at, value, lab.unit)
        yield Line("labevents", row, charge(draw, lab.price), at)
    for order in orders.orders(stay):
        at = _text(order.start)
        row = (*ids, at, _text_or_none(order.stop), order.name, order.dose, order.unit, order.route)
        yield Line("prescriptions", row, charge(draw, order.price), at)


def _intensive(stay: Stay, ids: tuple[int, int], done: list[Done]) -> Iterator[Line]:
    care = wards.intensive_care(stay)
    if care is None:
        return
    stay_ids = (*ids, care.number)
    left = _text_or_none(care.left)
    yield Line("icustays", (*stay_ids, care.unit, care.unit, _text(care.came), left))
    for reading in vitals.readings(stay):
        charted: Row = (reading.item, _text(reading.time), reading.value, reading.unit)
        yield Line("chartevents", stay_ids + charted)
    for volume in sorted(given(stay, done), key=_when):
        amount: Row = (_text(volume.time), volume.item, volume.volume, "ml")
        yield Line("inputevents", stay_ids + amount)
    for volume in sorted(lost(stay, done), key=_when):
        amount = (_text(volume.time), volume.item, volume.volume, "ml")
        yield Line("outputevents", stay_ids + amount)


def _when(volume: Volume) -> tuple[datetime, int, float]:
    return volume.time, volume.item, volume.volume


def _admission(stay: Stay) -> Row:
    draw = stay.person.draw("papers")
    facts = toml("people")
    shares = {name: by[band(stay.age)] for name, by in facts["insurance"].items()}
    insurance = draw.weighted(shares)
    language = draw.weighted(facts["language"])
    marital = draw.weighted({name: by[band(stay.age)] for name, by in facts["marital"].items()})
    return (
        _text(stay.admitted),
        None if stay.open else _text(stay.end),
        *wards.arrival(stay),
        wards.destination(stay),
        insurance,
        language,
        None if marital == "unknown" else marital,
        stay.age,
    )


def _diagnoses(stay: Stay) -> Iterator[tuple[str, datetime]]:
    """Each code once, reason first."""
    seen: set[str] = set()
    for problem in stay.problems:
        for code in problem.codes:
            text = code.in_edition(stay.version)
            if text and text not in seen:
                seen.add(text)
                yield text, problem.onset


def _midnight(day: date) -> str:
    return f"{day.isoformat()} 00:00:00"


def _text(time: datetime) -> str:
    return time.isoformat(sep=" ")


def _text_or_none(time: datetime | None) -> str | None:
    return _text(time) if time else None
