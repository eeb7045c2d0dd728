"""OMOP's tables of people, visits, units and deaths."""

from collections.abc import Iterator, Mapping
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
_SPAN = [f"{end}_{part}" for end in ("start", "end") for part in ("date", "datetime")]
_VISIT_SPAN = [f"visit_{name}" for name in _SPAN]
_DETAIL_SPAN = [f"visit_detail_{name}" for name in _SPAN]


def lookup_rows() -> Iterator[TableRow]:
    """The hospital, its units and its providers."""
    yield named_row("omop_5_4", "location", {"location_id": _HOSPITAL})
    yield _care_site(_HOSPITAL, "Synthetic hospital")
    for unit, number in _units().items():
        yield _care_site(number, spell("care", unit), unit)
    for name, number in _providers().items():
        named: dict[str, Value] = {"provider_id": number, "provider_source_value": name}
        yield named_row("omop_5_4", "provider", named)


def _care_site(number: int, name: str, unit: str | None = None) -> TableRow:
    columns: dict[str, Value] = {
        "care_site_id": number,
        "care_site_name": name,
        "place_of_service_concept_id": UNKNOWN,
        "location_id": _HOSPITAL,
        "care_site_source_value": unit,
    }
    return named_row("omop_5_4", "care_site", columns)


def person_row(record: PatientRecord, by: timedelta) -> TableRow:
    """The person's row, with a shifted birth."""
    someone, born = record.person, record.person.born + by
    race, ethnicity = _race(someone.race)
    columns: dict[str, Value] = {
        "person_id": someone.subject_id,
        "gender_concept_id": _FEMALE if someone.female else _MALE,
        "year_of_birth": born.year,
        "month_of_birth": born.month,
        "day_of_birth": born.day,
        "birth_datetime": datetime.combine(born, time()),
        "race_concept_id": race,
        "ethnicity_concept_id": ethnicity,
        "care_site_id": _HOSPITAL,
        "person_source_value": str(someone.subject_id),
        "gender_source_value": "F" if someone.female else "M",
        "gender_source_concept_id": UNKNOWN,
        "race_source_value": someone.race,
        "race_source_concept_id": UNKNOWN,
        "ethnicity_source_concept_id": UNKNOWN,
    }
    return named_row("omop_5_4", "person", columns)


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
        yield _outpatient(visit, day)
        yield _stay(visit, previous)
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


def _outpatient(visit: Visit, day: date) -> TableRow:
    midnight = datetime.combine(day, time())
    columns: dict[str, Value] = {
        "visit_occurrence_id": visit.stay.hadm_id + _OUTPATIENT_NUMBERS,
        "visit_concept_id": _OUTPATIENT,
        "visit_start_date": day,
        "visit_start_datetime": midnight,
        "visit_end_date": day,
        "visit_end_datetime": midnight,
        "visit_source_value": "OUTPATIENT",
        "visit_source_concept_id": UNKNOWN,
    }
    return _visit(visit, columns)


def _stay(visit: Visit, previous: int | None) -> TableRow:
    stay, facts = visit.stay, visit.demographics
    emergency = any(transfer.kind == "ed" for transfer in visit.transfers)
    kind = _BOTH if emergency else _INPATIENT
    destination = facts.destination.upper() if facts.destination else None
    columns: dict[str, Value] = {
        "visit_occurrence_id": stay.hadm_id,
        "visit_concept_id": kind,
        **dict(zip(_VISIT_SPAN, _span(stay.admitted, stay.end), strict=True)),
        "provider_id": _providers()[attending(stay)],
        "visit_source_value": facts.kind.upper(),
        "visit_source_concept_id": visit_kind(facts.kind),
        "admitted_from_source_value": facts.source.upper(),
        "discharged_to_source_value": destination,
        "preceding_visit_occurrence_id": previous,
    }
    return _visit(visit, columns)


def _visit(visit: Visit, columns: Mapping[str, Value]) -> TableRow:
    """A visit with the columns that are the same in all."""
    common: dict[str, Value] = {
        "person_id": visit.stay.person.subject_id,
        "visit_type_concept_id": RECORD,
        "care_site_id": _HOSPITAL,
        "admitted_from_concept_id": UNKNOWN,
        "discharged_to_concept_id": UNKNOWN,
    }
    return named_row("omop_5_4", "visit_occurrence", {**common, **columns})


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
    """The columns of a span; an ongoing span ends at the extract, since an end is required."""
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
