"""Laboratory tests and vital signs: reference ranges, purpose and alternatives."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from wardround.core.packaged_data import read_records
from wardround.ehr.terms.diagnoses import lab_names
from wardround.ehr.terms.names import key


@dataclass(frozen=True)
class Range:
    """A reference range of adults, both ends included."""

    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Lab:
    """A test.

    Attributes:
        name: Its label in MIMIC-IV, lower case.
        synonyms: Other names.
        adult: Reference range of adults, None for non-numeric results.
        by_sex: Sex-specific ranges by "male" and "female".
        assesses: The organ function or condition that it assesses.
        alternatives: Labels of tests with the same purpose.
    """

    name: str
    synonyms: tuple[str, ...]
    adult: Range | None
    by_sex: Mapping[str, Range]
    assesses: str
    alternatives: tuple[str, ...]


def reference_range(name: str, sex: Literal["male", "female"] | None = None) -> Range | None:
    """The adult reference range of a test by any of its names, None if unknown.

    >>> reference_range("Hb", sex="female")
    Range(low=12.0, high=16.0, unit='g/dl')
    """
    lab = lab_named(name)
    if lab is None:
        return None
    return lab.by_sex.get(sex, lab.adult) if sex else lab.adult


def alternative_labs(name: str) -> tuple[str, ...]:
    """The labels of alternative tests.

    >>> alternative_labs("troponin I")[0]
    'troponin t'
    """
    lab = lab_named(name)
    return lab.alternatives if lab else ()


def lab_named(name: str) -> Lab | None:
    """The test of this name or synonym, or None."""
    by_name = _by_name()
    labels = (key(name), *map(key, lab_names(name)))
    return next((by_name[label] for label in labels if label in by_name), None)


@cache
def labs() -> tuple[Lab, ...]:
    """Every packaged test."""
    return tuple(map(_lab, read_records(__package__, "labs.jsonl")))


def _lab(record: dict[str, Any]) -> Lab:
    unit = record["unit"]
    by_sex: dict[str, Range] = {
        sex: Range(record[sex][0], record[sex][1], unit)
        for sex in ("male", "female")
        if sex in record
    }
    adult = None if record["low"] is None else Range(record["low"], record["high"], unit)
    synonyms, alternatives = tuple(record["synonyms"]), tuple(record["alternatives"])
    return Lab(record["name"], synonyms, adult, by_sex, record["assesses"], alternatives)


@cache
def _by_name() -> dict[str, Lab]:
    by_name = {key(lab.name): lab for lab in labs()}
    by_synonym = {key(term): lab for lab in reversed(labs()) for term in lab.synonyms}
    return by_synonym | by_name
