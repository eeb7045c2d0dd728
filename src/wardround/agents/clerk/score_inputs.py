"""Inputs of clinical scores, read from results of tools."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from inspect import signature
from typing import Any, Literal, TypeAlias

from wardround.agents.clerk.measured import of_test
from wardround.agents.clerk.results import Diagnosis, Measurement, Medication
from wardround.agents.clerk.session import Session
from wardround.core.packaged_data import read_rows
from wardround.ehr import scores
from wardround.ehr.scores.facts import Facts, Order, Stay
from wardround.ehr.terms.conversions import convert
from wardround.ehr.text.mentions import mentions

Choice: TypeAlias = Literal["last", "high", "low", "first"]


@dataclass(frozen=True, slots=True)
class Source:
    """The test of an input, its unit, and the choice among its values."""

    test: str
    unit: str = ""
    choice: Choice = "last"
    vital: bool = False


_SOURCES: dict[str, Source] = {
    "bilirubin": Source("bilirubin, total"),
    "inr": Source("inr(pt)"),
    "creatinine": Source("creatinine"),
    "albumin": Source("albumin"),
    "platelets": Source("platelet count"),
    "leukocytes": Source("white blood cells"),
    "bands": Source("bands"),
    "urea_nitrogen": Source("urea nitrogen"),
    "paco2": Source("pco2"),
    "pao2": Source("po2", choice="low"),
    "glucose": Source("glucose", choice="first"),
    "ldh": Source("lactate dehydrogenase (ld)", choice="first"),
    "ast": Source("asparate aminotransferase (ast)", choice="first"),
    "calcium": Source("calcium, total", choice="low"),
    "temperature": Source("temperature celsius", "°C", vital=True),
    "heart_rate": Source("heart rate", vital=True),
    "respiratory_rate": Source("respiratory rate", vital=True),
    "systolic": Source("systolic blood pressure", vital=True),
    "diastolic": Source("diastolic blood pressure", vital=True),
    "mean_pressure": Source("mean blood pressure", vital=True),
    "coma_scale": Source("glasgow coma scale", vital=True),
    "weight": Source("weight", "kg", vital=True),
}
# The diagnoses, by the beginnings of their codes, that call for a score (paired as published).
_CALLING: dict[str, tuple[str, ...]] = {
    "cha2ds2_vasc": ("I48", "42731"),
    "has_bled": ("I48", "42731"),
    "child_pugh": ("K74", "K703", "5712", "5715"),
    "meld": ("K74", "K703", "5712", "5715"),
    "curb_65": ("J18", "J15", "J13", "486", "482"),
    "sofa": ("A41", "R652", "99591", "99592", "78552"),
    "ranson": ("K85", "5770"),
    "wells_pe": ("I26", "4151"),
}
# Drugs by dose and weight; one that was not given is 0, the rate of a given one stays open.
_PRESSORS = ("dopamine", "dobutamine", "epinephrine", "norepinephrine")
_ORDER = "MedicationRequest"
_DIAGNOSED = ("finding:", "confusion")  # sources of inputs


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed score, with the measurements that it rests on by input."""

    score: scores.Score
    measured: Mapping[str, Measurement]
    findings: Mapping[str, bool]


def tests_of(function: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The tests and vital signs of a score, and whether it asks for diagnoses.

    >>> tests_of("meld")
    (('bilirubin, total', 'inr(pt)', 'creatinine'), (), True)
    """
    inputs = _inputs(function)
    sources = [_SOURCES[name] for name in inputs if name in _SOURCES]
    asks_history = any((function, name) in _by_diagnoses() for name in inputs)
    return (
        tuple(each.test for each in sources if not each.vital),
        tuple(each.test for each in sources if each.vital),
        asks_history,
    )


def fitting_scores(session: Session, since: int) -> list[str]:
    """The scores that diagnoses call for, in the results since the given number."""
    codes = [each.code for each in session.entries(Diagnosis, since)]
    return [
        name
        for name, prefixes in _CALLING.items()
        if any(code.startswith(prefixes) for code in codes)
    ]


def computed(function: str, session: Session, since: int) -> Computed:
    """A score from the results since the given number."""
    inputs = _inputs(function)
    measurements = list(session.entries(Measurement, since))
    measured = {
        name: input
        for name in inputs
        if name in _SOURCES and (input := _chosen(_SOURCES[name], measurements))
    }
    values: dict[str, Any] = {
        name: _number(each, _SOURCES[name]) for name, each in measured.items()
    }
    recorded = _recorded(function, session, since)
    values |= {name: value for name, value in recorded.items() if name not in values}
    if doses := list(session.entries(Medication, since)):
        given = {mention.name for each in doses for mention in mentions(each.name, "drug")}
        values |= {name: 0 for name in _PRESSORS if name in inputs and name not in given}
    score: scores.Score = getattr(scores, function)(**values)
    findings = {name: value for name, value in recorded.items() if isinstance(value, bool)}
    return Computed(score, measured, findings)


def _inputs(function: str) -> tuple[str, ...]:
    return tuple(signature(getattr(scores, function)).parameters)


def input_name(name: str) -> str:
    """An input by the test that it is read from, else its own name."""
    return _SOURCES[name].test if name in _SOURCES else name


def _chosen(source: Source, measurements: Iterable[Measurement]) -> Measurement | None:
    measured = [each for each in of_test(source.test, measurements) if each.number is not None]
    ordered = sorted(measured, key=lambda each: each.time)
    if not ordered:
        return None
    match source.choice:
        case "last":
            return ordered[-1]
        case "first":
            return ordered[0]
        case "high":
            return max(ordered, key=lambda each: each.number or 0)
        case "low":
            return min(ordered, key=lambda each: each.number or 0)


def _number(measurement: Measurement, source: Source) -> float | None:
    number = measurement.number
    if number is None or not source.unit or not measurement.unit:
        return number
    return convert(number, measurement.unit, source.unit)


def _recorded(function: str, session: Session, since: int) -> dict[str, Any]:
    """The inputs other than measurements: age, sex, findings by diagnoses, drugs by orders."""
    codes = [each.code for each in session.entries(Diagnosis, since)]
    now = datetime.combine(session.today or date.min, time.min)
    born = date(now.year - session.age, 1, 1) if session.age and session.today else None
    orders = (each for each in session.entries(Medication, since) if each.kind == _ORDER)
    facts = Facts(
        time=now,
        stay=Stay(now, None),
        birth=born,
        female=session.female,
        codes=frozenset((_version(code), code) for code in codes),
        coded=bool(codes),
        measurements=(),
        infusions=(),
        orders=tuple(Order(now, now, each.name) for each in orders),
    )
    inputs = scores.score_inputs(facts, function)
    return {name: value for name, value in inputs.items() if value is not None}


def _version(code: str) -> int:
    """The version of an ICD code; a letter other than V means ICD-10.

    >>> _version("K7460"), _version("V4511"), _version("42731")
    (10, 9, 9)
    """
    return 10 if code[:1].isalpha() and not code.startswith("V") else 9


@cache
def _by_diagnoses() -> frozenset[tuple[str, str]]:
    """The scores and inputs that diagnoses decide."""
    rows = read_rows(scores.__name__, "inputs.tsv")
    return frozenset(
        (score, name) for score, name, source, *_ in rows if source.startswith(_DIAGNOSED)
    )
