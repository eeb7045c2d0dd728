"""Inputs of clinical scores, read from results of tools."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any, Literal, TypeAlias

from wardround.agents.clerk.measured import of_test
from wardround.agents.clerk.names import class_members
from wardround.agents.clerk.results import Diagnosis, Measurement, Medication
from wardround.agents.clerk.session import Session
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms import scores
from wardround.ehr.terms.chinese import mentions
from wardround.ehr.terms.conversions import convert

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
# Grades of findings that are present; 1 where nothing is written.
_GRADES = {"ascites": 1, "encephalopathy": 1}
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
_BLEEDING_DRUGS = ("antiplatelet", "nsaid")


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
    known = [_SOURCES[name] for name in inputs if name in _SOURCES]
    asks_history = any(name in _histories() or name == "dialysis" for name in inputs)
    return (
        tuple(each.test for each in known if not each.vital),
        tuple(each.test for each in known if each.vital),
        asks_history,
    )


def fitting_scores(session: Session, since: int) -> list[str]:
    """The scores that the diagnoses in the results from a place on call for."""
    codes = [each.code for each in session.entries(Diagnosis, since)]
    return [name for name, own in _CALLING.items() if any(code.startswith(own) for code in codes)]


def computed(function: str, session: Session, since: int) -> Computed:
    """A score from the results from a place on; a diagnosis that is not listed is absent."""
    inputs = _inputs(function)
    measurements = list(session.entries(Measurement, since))
    measured = {
        name: found
        for name in inputs
        if name in _SOURCES and (found := _chosen(_SOURCES[name], measurements))
    }
    values: dict[str, Any] = {
        name: _number(each, _SOURCES[name]) for name, each in measured.items()
    }
    findings = _findings(inputs, list(session.entries(Diagnosis, since)))
    values |= {
        name: (_GRADES[name] if present else 0) if name in _GRADES else present
        for name, present in findings.items()
    }
    if "age" in inputs:
        values["age"] = session.age
    if "female" in inputs:
        values["female"] = session.female
    if "drugs" in inputs:
        findings["drugs"] = values["drugs"] = _takes_any(session.entries(Medication, since))
    if doses := list(session.entries(Medication, since)):
        given = {mention.english for each in doses for mention in mentions(each.name, "drug")}
        values |= {name: 0 for name in _PRESSORS if name in inputs and name not in given}
    score: scores.Score = getattr(scores, function)(**values)
    return Computed(score, measured, findings)


def _inputs(function: str) -> tuple[str, ...]:
    return tuple(signature(getattr(scores, function)).parameters)


def input_name(name: str) -> str:
    """An input by the test that it is read from, else its own name."""
    return _SOURCES[name].test if name in _SOURCES else name


def _chosen(source: Source, measurements: Iterable[Measurement]) -> Measurement | None:
    found = [each for each in of_test(source.test, measurements) if each.number is not None]
    ordered = sorted(found, key=lambda each: each.time)
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


def _findings(inputs: Sequence[str], diagnoses: Sequence[Diagnosis]) -> dict[str, bool]:
    """The findings among the inputs, by the codes of the diagnoses; none without diagnoses."""
    if not diagnoses:
        return {}
    codes = [each.code for each in diagnoses]
    wanted = {"dialysis": "renal_replacement"} if "dialysis" in inputs else {}
    wanted |= {name: name for name in inputs if name in _histories()}
    return {
        name: any(code.startswith(_histories()[finding]) for code in codes)
        for name, finding in wanted.items()
    }


def _takes_any(orders: Iterable[Medication]) -> bool:
    known = frozenset[str]().union(*(class_members(name) for name in _BLEEDING_DRUGS))
    return any(m.english in known for each in orders for m in mentions(each.name, "drug"))


@cache
def _histories() -> Mapping[str, tuple[str, ...]]:
    return {
        finding: split_cell(codes) for finding, codes in read_rows(__package__, "histories.tsv")
    }
