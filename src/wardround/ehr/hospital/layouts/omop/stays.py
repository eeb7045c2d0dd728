"""OMOP's tables of people, visits, units and deaths."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cache

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iv.stays import outpatient_visit
from wardround.ehr.hospital.layouts.omop.concepts import UNKNOWN, visit_kind
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.staff import PROVIDERS, attending, provider
from wardround.ehr.hospital.stays import NOW
from wardround.ehr.hospital.wards import Transfer

RECORD = 32817
_HOSPITAL = 1
_INPATIENT, _OUTPATIENT, _EMERGENCY, _BOTH, _INTENSIVE = 9201, 9202, 9203, 262, 32037
_MALE, _FEMALE = 8507, 8532
_RACES = {"WHITE": 8527, "BLACK/AFRICAN AMERICAN": 8516, "ASIAN": 8515}
_HISPANIC, _NOT_HISPANIC = 38003563, 38003564
# Numbers of outpatient visits begin with 4, those of stays with 2.
_OUTPATIENT_NUMBERS = 20_000_000
_DETAIL_SPAN = [
    f"visit_detail_{end}_{part}" for end in ("start", "end") for part in ("date", "datetime")
]


def lookup_rows() -> Iterator[TableRow]:
    """The hospital, its units and its providers."""
    yield named_row("omop_5_4", "location", {"location_id": _HOSPITAL})
    yield "care_site", (_HOSPITAL, "Synthetic hospital", UNKNOWN, _HOSPITAL, None, None)
    for unit, number in _units().items():
        yield "care_site", (number, spell("care", unit), UNKNOWN, _HOSPITAL, unit, None)
    for name, number in _providers().items():
        named: dict[str, Value] = {"provider_id": number, "provider_source_value": name}
        yield named_row("omop_5_4", "provider", named)


def person_row(record: PatientRecord, by: timedelta) -> TableRow:
    """The person's row, with a shifted birth."""
    someone, born = record.person, record.person.born + by
    birth = (born.year, born.month, born.day, datetime.combine(born, time()))
    sex = _FEMALE if someone.female else _MALE
    source_values = (
        str(someone.subject_id),
        "F" if someone.female else "M",
        UNKNOWN,
        someone.race,
        UNKNOWN,
    )
    ids = (someone.subject_id, sex, *birth, *_race(someone.race), None, None, _HOSPITAL)
    return "person", (*ids, *source_values, None, UNKNOWN)


def rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    """The observed time, all visits with their units, and the death."""
    subject = record.person.subject_id
    outpatient = [outpatient_visit(visit.stay)[0] for visit in record.visits]
    first = min(*outpatient, record.visits[0].stay.admitted.date())
    last = max(visit.stay.end.date() for visit in record.visits)
    period = (1 + numbers.take("observation_period"), subject, first, last, RECORD)
    yield "observation_period", period
    previous = None
    for visit, day in zip(record.visits, outpatient, strict=True):
        yield "visit_occurrence", _outpatient(visit, day)
        yield "visit_occurrence", _stay(visit, previous)
        yield from _places(visit)
        previous = visit.stay.hadm_id
    if record.died:
        death: dict[str, Value] = {
            "person_id": subject,
            "death_date": record.died,
            "death_datetime": _time_of_death(record),
            "death_type_concept_id": RECORD,
        }
        yield named_row("omop_5_4", "death", death)


def _race(race: str) -> tuple[int, int]:
    """The concepts of race and ethnicity of a race as MIMIC-IV writes it."""
    if race.startswith("HISPANIC"):
        return UNKNOWN, _HISPANIC
    number = _RACES.get(race.partition(" - ")[0], UNKNOWN)
    return number, _NOT_HISPANIC if number else UNKNOWN


def _outpatient(visit: Visit, day: date) -> Row:
    midnight = datetime.combine(day, time())
    number = visit.stay.hadm_id + _OUTPATIENT_NUMBERS
    span = (day, midnight, day, midnight)
    about = (RECORD, None, _HOSPITAL, "OUTPATIENT", UNKNOWN)
    ends = (UNKNOWN, None, UNKNOWN, None, None)
    return (number, visit.stay.person.subject_id, _OUTPATIENT, *span, *about, *ends)


def _stay(visit: Visit, previous: int | None) -> Row:
    stay, facts = visit.stay, visit.demographics
    emergency = any(transfer.kind == "ed" for transfer in visit.transfers)
    kind = _BOTH if emergency else _INPATIENT
    destination = facts.destination.upper() if facts.destination else None
    about = (_providers()[attending(stay)], _HOSPITAL, facts.kind.upper(), visit_kind(facts.kind))
    ends = (UNKNOWN, facts.source.upper(), UNKNOWN, destination, previous)
    span = _span(stay.admitted, stay.end)
    return (stay.hadm_id, stay.person.subject_id, kind, *span, RECORD, *about, *ends)


def _places(visit: Visit) -> Iterator[TableRow]:
    """The units of a stay; one of intensive care has the number of the ICU stay."""
    stay = visit.stay
    intensive = {(care.unit, care.came): care.number for care in visit.intensive}
    for transfer in visit.transfers:
        if transfer.unit is None:
            continue
        icu = intensive.get((transfer.unit, transfer.came))
        kind = _INTENSIVE if icu else _EMERGENCY if transfer.kind == "ed" else _INPATIENT
        span = _span(transfer.came, transfer.left)
        detail: dict[str, Value] = {
            "visit_detail_id": icu or transfer.number,
            "person_id": stay.person.subject_id,
            "visit_detail_concept_id": kind,
            **dict(zip(_DETAIL_SPAN, span, strict=True)),
            "visit_detail_type_concept_id": RECORD,
            "care_site_id": _units()[transfer.unit],
            "visit_detail_source_value": _written(transfer),
            "visit_detail_source_concept_id": UNKNOWN,
            "visit_occurrence_id": stay.hadm_id,
        }
        yield named_row("omop_5_4", "visit_detail", detail)


def _written(transfer: Transfer) -> str:
    return "ED" if transfer.kind == "ed" else transfer.kind


def _span(start: datetime, end: datetime | None) -> Row:
    """The columns of a span; what goes on ends at the extract, since an end is required."""
    end = end or NOW
    return (start.date(), start, end.date(), end)


def _time_of_death(record: PatientRecord) -> datetime | None:
    last = record.visits[-1].stay
    return last.end if last.died else None


@cache
def _units() -> dict[str, int]:
    """The numbers of the hospital's units."""
    facts = toml("wards")
    shares = (*facts["wards"].values(), *facts["units"].values())
    names = {name for each in shares for name in each} | {"pacu", "emergency department"}
    return {name: number for number, name in enumerate(sorted(names), start=_HOSPITAL + 1)}


@cache
def _providers() -> dict[str, int]:
    return {provider(number): number + 1 for number in range(PROVIDERS)}
