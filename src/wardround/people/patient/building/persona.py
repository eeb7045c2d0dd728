"""Phase 4: the patient's persona by fixed rules.

Health literacy follows from the readability of the words that the patient was given and from the
medical terms in them (Du et al. 2026, C): grade below 6 with fewer than 2 terms is low, below 10
with fewer than 5 medium, otherwise high.
"""

import re
from collections.abc import Sequence
from typing import Literal

from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.text.cues import Assertion, assertion
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import Span, sentences
from wardround.people.patient.building.admission import Admission
from wardround.people.patient.building.extraction import HomeDrug
from wardround.people.patient.memory import Level, MemoryPersona

_TERMS: tuple[TermKind, ...] = ("drug", "test", "diagnosis")
_WORD = re.compile(r"[A-Za-z']+")
_VOWELS = re.compile(r"[aeiouy]+")
_ANXIOUS = re.compile(
    r"\b(?:anxi(?:ous|ety)|panic|worried|fearful|nervous|agitated|distress(?:ed)?)\b", re.IGNORECASE
)


def persona(record: Admission, drugs: Sequence[HomeDrug], *, withholds: bool) -> MemoryPersona:
    """The persona of a patient.

    Args:
        record: the admission.
        drugs: the home drugs with their adherence.
        withholds: a drug of the memory is critical.
    """
    known = [drug.adherence for drug in drugs if drug.adherence != "unknown"]
    worst = next((kind for kind in known if kind != "good"), "good" if known else "unknown")
    full: Literal["full", "partial"] = "full" if known or not drugs else "partial"
    return MemoryPersona(
        health_literacy=literacy(record.section("Discharge Instructions")),
        anxiety_level=_anxiety(record),
        info_completeness="critical_withheld" if withholds else full,
        overall_adherence="good" if worst == "good" else worst if worst == "unknown" else "poor",
    )


def literacy(text: str) -> Level:
    """The health literacy that a text for the patient assumes; high without a text.

    >>> literacy("You had a fall. Rest at home. Call us if you feel sick.")
    'low'
    """
    if not text.strip():
        return "high"
    grade, terms = reading_grade(text), medical_terms(text)
    if grade < 6 and terms < 2:
        return "low"
    return "medium" if grade < 10 and terms < 5 else "high"


def reading_grade(text: str) -> float:
    """The Flesch-Kincaid grade of an English text (Kincaid et al. 1975); 0 without words.

    >>> round(reading_grade("The cat sat on the mat."), 1)
    -1.4
    """
    words = _WORD.findall(text.lower())
    if not words:
        return 0.0
    syllables = sum(map(_syllables, words))
    return 0.39 * len(words) / len(sentences(text, "en")) + 11.8 * syllables / len(words) - 15.59


def medical_terms(text: str) -> int:
    """The number of different drugs, tests and diagnoses in a text."""
    return len({(each.kind, each.name) for each in mentions(text, *_TERMS)})


def _syllables(word: str) -> int:
    """The groups of vowels of a word; a silent e at the end is none."""
    groups = len(_VOWELS.findall(word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and groups > 1
    return max(groups - silent, 1)


def _anxiety(record: Admission) -> Level:
    """High if the history or a diagnosis names anxiety, low if the examination denies it."""
    told = [record.section(n) for n in ("History of Present Illness", "Past Medical History")]
    if any("present" in _assertions(text) for text in (*told, *record.diagnoses)):
        return "high"
    return "low" if "absent" in _assertions(record.section("Physical Exam")) else "medium"


def _assertions(text: str) -> set[Assertion]:
    """The assertion of a text about each mention of anxiety or distress."""
    return {assertion(text, Span(*match.span()), "en") for match in _ANXIOUS.finditer(text)}
