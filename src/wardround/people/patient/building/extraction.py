"""Phase 2: home medication, evidence of adherence, diagnoses and courses of values of a record."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.mentions import find_drugs
from wardround.ehr.text.segments import sentences, texts
from wardround.people.patient.building.admission import Admission, Measured
from wardround.people.patient.memory import LabTrend, LabValue

# The gravest kind first.
Adherence: TypeAlias = Literal[
    "never_filled", "self_discontinued", "ran_out", "poor", "good", "unknown"
]
ON_ADMISSION, SOCIAL = "Medications on Admission", "Social History"
# Sections that tell how a patient takes drugs.
_TOLD_IN = (ON_ADMISSION, SOCIAL, "History of Present Illness", "Brief Hospital Course")
_LISTED = re.compile(r"^\s*\d+\.\s*(.+)$", re.MULTILINE)
_DOSE = re.compile(r"\s[\d.,]+\s*(?:-|[A-Za-z%])")
_CONTINUED = re.compile(r"^# ?(.+?): continued (.+?)\.?$", re.MULTILINE)
_AND = re.compile(r", | and ")
_RECENT = 5  # values of a trend
_STEADY = 0.1  # a smaller share of change is not a trend


@dataclass(frozen=True, slots=True)
class HomeDrug:
    """A drug that a patient took at home.

    Attributes:
        name: the drug as the note has it.
        indication: the condition that it is for; "" if the note does not say.
        adherence: how it is taken.
        evidence: the sentence of the note that says so; "" if there is none.
    """

    name: str
    indication: str = ""
    adherence: Adherence = "unknown"
    evidence: str = ""


def home_drugs(record: Admission) -> list[HomeDrug]:
    """The drugs of the list on admission; a sentence about adherence counts for those it names.

    One that names no drug counts for all.
    """
    names = [_DOSE.split(line)[0].strip() for line in _LISTED.findall(record.section(ON_ADMISSION))]
    statements = list(_adherence_sentences(record))
    reasons = _indications(record.section("Brief Hospital Course"))
    return [
        HomeDrug(name, reasons.get(name, ""), *_adherence_of(name, statements))
        for name in dict.fromkeys(names)
        if name
    ]


def adherence_in(text: str) -> Adherence:
    """The adherence that a sentence tells of drugs; the gravest word counts.

    >>> adherence_in("Ran out of lisinopril a week ago."), adherence_in("Rarely misses a dose.")
    ('ran_out', 'good')
    >>> adherence_in("Came by ambulance.")
    'unknown'
    """
    mentions = [
        (match.start(), -(match.end() - match.start()), kind, match.end())
        for kind, pattern in _patterns().items()
        for match in pattern.finditer(text)
    ]
    longest: list[tuple[int, Adherence]] = []
    for start, _, kind, end in sorted(mentions):
        if not longest or start >= longest[-1][0]:
            longest.append((end, kind))
    kinds = {kind for _, kind in longest}
    return next((kind for kind in _patterns() if kind in kinds), "unknown")


def lab_trends(record: Admission) -> Iterator[LabTrend]:
    """The course of each test that was measured twice or more."""
    for _, values in groupby(record.values, key=lambda each: each.itemid):
        measured = list(values)
        if len(measured) > 1:
            yield _trend(measured)


def history(record: Admission) -> list[str]:
    """The conditions of the past medical history, a line each."""
    lines = record.section("Past Medical History").split("\n")
    stripped = (line.strip(" -#.") for line in lines)
    return [line for line in dict.fromkeys(stripped) if line and ":" not in line]


def _adherence_sentences(record: Admission) -> Iterator[str]:
    for heading in _TOLD_IN:
        text = record.section(heading)
        for sentence in texts(text, sentences(text, "en")):
            if adherence_in(sentence) != "unknown":
                yield sentence.removeprefix("Adherence:").strip()


def _adherence_of(name: str, statements: list[str]) -> tuple[Adherence, str]:
    generics = {drug for mention in find_drugs(name) for drug in mention.generics}
    about = [(each, {d for m in find_drugs(each) for d in m.generics}) for each in statements]
    for sentence, named in about:
        if generics & named:
            return adherence_in(sentence), sentence
    for sentence, named in about:
        if not named:
            return adherence_in(sentence), sentence
    return "unknown", ""


def _indications(course: str) -> dict[str, str]:
    """The condition by drug, as in "Hypertension: continued Lisinopril and Amlodipine."."""
    return {
        drug.strip(): condition
        for condition, drugs in _CONTINUED.findall(course)
        for drug in _AND.split(drugs)
    }


def _trend(values: list[Measured]) -> LabTrend:
    first, last = values[0].value, values[-1].value
    change = (last - first) / first if first else 0.0
    moved = "rising" if change > 0 else "falling"
    return LabTrend(
        item_name=values[0].label,
        itemid=values[0].itemid,
        unit=values[0].unit,
        recent_values=tuple(
            LabValue(charttime=each.time, value=each.value, flag=each.flag)
            for each in values[-_RECENT:]
        ),
        value_min=min(each.value for each in values),
        value_max=max(each.value for each in values),
        trend_direction="stable" if abs(change) < _STEADY else moved,
    )


@cache
def _patterns() -> dict[Adherence, re.Pattern[str]]:
    """The words of each kind of adherence, the gravest kind first."""
    words = dict(read_rows(__package__, "adherence.tsv"))
    kinds: tuple[Adherence, ...] = get_args(Adherence)
    return {
        kind: re.compile("|".join(map(re.escape, split_cell(words[kind]))), re.IGNORECASE)
        for kind in kinds
        if kind in words
    }
