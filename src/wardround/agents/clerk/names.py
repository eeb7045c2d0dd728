"""Names that stand for several terms: panels of tests, classes of drugs, sections, scores."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import TermKind as VocabularyKind
from wardround.ehr.terms.chinese import english, plain
from wardround.ehr.terms.classes import members
from wardround.ehr.terms.diagnoses import lab_names
from wardround.ehr.text.mentions import mentions

GroupKind: TypeAlias = Literal[
    "panel", "class", "section", "score", "service", "priority", "vital"
]  # fmt: skip
TermKind: TypeAlias = Literal[
    "test", "vital", "culture", "drug", "diagnosis", "symptom", "pain", "service", "scan", "panel",
    "class", "section", "score", "unit", "route", "frequency", "priority", "category",
]  # fmt: skip
VITALS = frozenset(
    {"heart rate", "systolic blood pressure", "diastolic blood pressure", "mean blood pressure"}
    | {"blood pressure", "respiratory rate", "temperature celsius", "weight", "height"}
    | {"o2 saturation pulseoxymetry", "bmi (kg/m2)", "glasgow coma scale", "urine output"}
)
SCANS = frozenset(
    {"chest x-ray", "x-ray", "computed tomography", "magnetic resonance imaging", "ultrasound"}
    | {"echocardiogram", "electrocardiogram"}
)
# Diagnoses that patients tell of themselves.
SYMPTOMS = frozenset(
    {"constipation", "diarrhea", "nausea", "vomiting", "dysphagia", "headache", "syncope"}
    | {"dizziness", "fever", "cough", "chest pain", "abdominal pain", "back pain", "pain"}
    | {"dyspnea", "edema", "fatigue", "rash", "weight loss", "bleeding"}
)
FLAG_CATEGORIES = frozenset({"safety", "allergy", "administrative", "clinical"})
DOSE_UNITS = frozenset(
    {"mg", "g", "mcg", "mL", "L", "units", "mEq", "mmol", "tablet", "capsule"}
)  # of a single dose
# Drugs whose levels are tests; they are meant as drugs.
_LEVELS = frozenset({"vancomycin", "digoxin", "phenytoin"})
_LEVEL = re.compile(r"\s*(?:levels?\b|trough|concentration|血药浓度|浓度|血药)", re.IGNORECASE)
_DOSE = re.compile(r"\s*\d")
_FORM = re.compile(r"\s*(?:tablets?\b|pill|supplement|gel\b|infusion|drip|片|补充)", re.IGNORECASE)
_PAIN = "pain"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+/.-]*[A-Za-z0-9+]|[A-Z]")
_TEXTS = 1024  # cached texts
_LONGEST, _SHORT = 4, 3  # words of a test's name; letters of one that is written in capitals
_FALL = "fall"  # a verb, in questions about values
_ONCE = "once"  # counts doses only beside one; "最近一次" is the last time
_TABLE_KINDS: tuple[VocabularyKind, ...] = (
    "drug", "test", "diagnosis", "service", "unit", "route", "frequency", "priority", "category",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """A name for several terms, by its first name and its first Chinese name."""

    kind: GroupKind
    name: str
    members: tuple[str, ...]
    chinese: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A term at `text[start:end]`, by its English name."""

    kind: TermKind
    name: str
    start: int
    end: int


@lru_cache(_TEXTS)
def find_terms(text: str) -> tuple[Found, ...]:
    """The terms of a text in either language, in order, none within another.

    >>> [(each.kind, each.name) for each in find_terms("Lasix and the renal function")]
    [('drug', 'furosemide'), ('panel', 'renal function')]
    """
    candidates = sorted(_all(text), key=lambda each: (each.start - each.end, _order(each, text)))
    chosen: list[Found] = []
    has_dose = any(each.name in DOSE_UNITS for each in candidates)
    for each in candidates:
        if each.name == _ONCE and not has_dose:
            continue
        if all(each.end <= other.start or other.end <= each.start for other in chosen):
            chosen.append(each)
    return tuple(sorted(chosen, key=lambda each: each.start))


@cache
def groups() -> Mapping[tuple[GroupKind, str], Group]:
    """The groups by kind and first name."""
    return {(each.kind, each.name): each for each in _groups().values()}


def section_name(heading: str, language: str) -> str:
    """The name of a section of a note; its heading in English.

    >>> section_name("Discharge Medications", "zh")
    '出院带药'
    """
    sections = (each for (kind, _), each in groups().items() if kind == "section")
    known = {each.members[0]: each.chinese for each in sections}
    return known.get(heading, heading) if language == "zh" else heading


def class_members(name: str) -> frozenset[str]:
    """The generic names of the drugs of a class."""
    listed = groups()["class", name].members
    return frozenset(drug for each in listed for drug in members(each))


def _all(text: str) -> Iterator[Found]:
    for match in _pattern().finditer(plain(text)):
        group = _groups()[match[0]]
        yield Found(_kind(group.kind, group.name), group.name, *match.span())
    yield from _tests(text)
    for term in mentions(text, *_TABLE_KINDS):
        if term.span.of(text).lower() == _FALL:
            continue
        term_found = Found(_kind(term.kind, term.name), term.name, *term.span)
        if term.kind == "drug" and (level := _LEVEL.match(text, term.end)):
            yield replace(term_found, kind="test", end=level.end())
        elif term.kind != "category" or term.name in FLAG_CATEGORIES:
            yield term_found


def _tests(text: str) -> Iterator[Found]:
    """The tests that the vocabulary of laboratory labels knows by English names."""
    words = [*_WORD.finditer(text)]
    for first in range(len(words)):
        for last in range(first, min(first + _LONGEST, len(words))):
            start, end = words[first].start(), words[last].end()
            name = text[start:end]
            if (len(name) > _SHORT or not name.islower()) and (labels := lab_names(name)):
                test_name = english(name, "test") or labels[0]
                yield Found(_kind("test", test_name), test_name, start, end)


def _kind(kind: str, name: str) -> TermKind:
    if kind == "test" and name in VITALS:
        return "vital"
    if kind == "test" and name.endswith(" culture"):
        return "culture"
    if kind == "diagnosis" and name in SYMPTOMS:
        return "pain" if _PAIN in name else "symptom"
    if kind == "service" and name in SCANS:
        return "scan"
    return kind  # type: ignore[return-value]


def _order(term: Found, text: str) -> int:
    """The rank of a term among those of the same words: a test before a drug, but for doses."""
    if term.kind not in ("test", "drug"):
        return 1
    behind = text[term.end :]
    own_name = english(text[term.start : term.end], "drug")
    is_drug = _DOSE.match(behind) or _FORM.match(behind) or own_name in _LEVELS
    return 0 if (term.kind == "drug") == bool(is_drug) else 2


@cache
def _groups() -> Mapping[str, Group]:
    """The groups by each of their names."""
    groups: dict[str, Group] = {}
    for kind, names, listed in read_rows(__package__, "names.tsv"):
        first, *others = split_cell(names)
        in_chinese = next((name for name in others if not name.isascii()), "")
        group = Group(kind, first, split_cell(listed), in_chinese)  # type: ignore[arg-type]
        groups |= {plain(name): group for name in (first, *others)}
    return groups


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_groups(), key=len, reverse=True)
    return re.compile("|".join(map(_name_pattern, names)))


def _name_pattern(name: str) -> str:
    escaped = re.escape(name)
    return rf"(?<![a-z0-9]){escaped}(?![a-z0-9])" if name.isascii() else escaped
