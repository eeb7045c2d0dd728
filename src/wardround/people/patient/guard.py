"""The guard over a patient's words: their language, their length, and what they must withhold."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.language import Language
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import sentences
from wardround.people.patient.memory import Medication

LEAST_SENTENCES, MOST_SENTENCES = 2, 5
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]+", re.I)
_SHARED: dict[Language, int] = {
    "en": 5,
    "zh": 6,
}  # words or characters in a row that give an explanation away


Rule: TypeAlias = Literal[
    "language", "length", "withheld", "number", "drug", "fact", "invented", "hint", "machine"
]


def broken_rules(text: str, language: Language, withheld: Iterable[Medication]) -> tuple[Rule, ...]:
    """The rules that an answer breaks, whatever was asked; empty if it keeps them.

    >>> broken_rules("I feel ill. It began today.", "en", ())
    ()
    >>> broken_rules("我不舒服。", "en", ())
    ('language', 'length')
    """
    return tuple(_broken(text, language, tuple(withheld)))


def _broken(text: str, language: Language, withheld: tuple[Medication, ...]) -> Iterator[Rule]:
    if not is_in(text, language):
        yield "language"
    if not LEAST_SENTENCES <= len(sentences(text, language)) <= MOST_SENTENCES:
        yield "length"
    if any(is_told(drug, text) for drug in withheld):
        yield "withheld"


def is_in(text: str, language: Language) -> bool:
    """True if a text is in a language; single foreign names do not count."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    return han > latin if language == "zh" else latin > han


def is_told(drug: Medication, text: str) -> bool:
    """True if a text names a drug, or repeats a part of the patient's explanation of it."""
    if any(drug.is_named_by(mention.name) for mention in mentions(text, "drug")):
        return True
    names = {plain(drug.drug), *(plain(drug.named(language)) for language in _SHARED)}
    if any(name and name in plain(text) for name in names):
        return True
    explained = ((drug.text("patient_explanation", each), each) for each in _SHARED)
    return any(_runs(words, each) & _runs(text, each) for words, each in explained if words)


def _runs(text: str, language: Language) -> set[tuple[str, ...]]:
    letters = _HAN if language == "zh" else _LATIN
    words, length = letters.findall(plain(text)), _SHARED[language]
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
