"""The topics, drugs and diagnoses that a question to a patient names, misspelled drugs too.

A misspelling counts only if it can be one drug; the patient asks back where it may be another.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import english, plain
from wardround.ehr.terms.drugs import generics, spelled_like
from wardround.ehr.text.mentions import mentions
from wardround.people.patient.letter_classifier import fitted, sample
from wardround.people.patient.memory import Diagnosis, PatientMemory
from wardround.people.text_classifier import TextClassifier

Topic: TypeAlias = Literal[
    "onset", "provocation", "quality", "radiation", "severity", "timing", "complaint",
    "medications", "diagnoses", "social", "function", "other", "more",
]  # fmt: skip
TOPICS: tuple[Topic, ...] = get_args(Topic)
SLOTS: tuple[Topic, ...] = TOPICS[:6]
# Topics of a subject; the first is the default.
TOPICS_OF: Mapping[str, tuple[Topic, ...]] = {
    "symptom_history": ("complaint", *SLOTS, *TOPICS[7:12]),
    "pain_assessment": ("severity", *SLOTS, "complaint", "medications", "other"),
    "medication_adherence": ("medications", "diagnoses", "social", "other"),
    "social_history": ("social", "function", "medications", "diagnoses", "other"),
    "functional_status": ("function", "social", "medications", "other"),
}
# On eight folds of the labelled questions, the likeliest topic is right for 80%; for 88%, the right
# one is among these.
_NEAR = 0.15  # of a score
_MOST = 3

_WORD = re.compile(r"[a-z]{5,}")
_ENDING = 3  # letters by which two forms of a word may differ, as in migraine and migraines

_LATIN = re.compile(r"[A-Za-z]{5,}")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SHORTEST = 3  # Chinese letters of a name that may be misspelled


@dataclass(frozen=True, slots=True)
class NamedDrugs:
    """The generic names of drugs that a question names; `unclear` if it names an unknown one."""

    drugs: tuple[str, ...] = ()
    unclear: bool = False


def named_drugs(arguments: Mapping[str, Any], memory: PatientMemory) -> NamedDrugs:
    """The drugs that a call names; the argument `drug` goes before the question.

    >>> known = PatientMemory(subject_id=1, medications=[{"drug": "Warfarin"}])
    >>> [named_drugs({"drug": name}, known).drugs for name in ("华法琳", "warfrin", "华法林片")]
    [('warfarin',), ('warfarin',), ('warfarin',)]
    >>> named_drugs({"drug": "hydroxalazine"}, known)
    NamedDrugs(drugs=(), unclear=True)
    """
    drug = str(arguments.get("drug") or "").strip()
    query = str(arguments.get("query") or "")
    if drug:
        return _of_argument(drug, memory)
    named = [mention.name for mention in mentions(query, "drug")]
    own_drugs = {name for each in memory.medications for name in each.generic.split(" + ")}
    meant = (
        [] if named else [name for name in _misspelled(query) if set(name.split(" + ")) & own_drugs]
    )
    return NamedDrugs(tuple(dict.fromkeys([*named, *meant])))


def _of_argument(drug: str, memory: PatientMemory) -> NamedDrugs:
    english_name = english(drug, "drug")
    if english_name:
        return NamedDrugs((english_name,))
    named = tuple(dict.fromkeys(mention.name for mention in mentions(drug, "drug")))
    if named:
        return NamedDrugs(named)
    meant = tuple(dict.fromkeys(_misspelled(drug)))
    if len(meant) == 1:
        return NamedDrugs(meant)
    is_own = any(each.is_named_by(plain(drug)) for each in memory.medications)
    return NamedDrugs((plain(drug),)) if is_own else NamedDrugs(unclear=True)


def _misspelled(text: str) -> Iterator[str]:
    """The generic names of misspelled names in a text, each of which can be one drug only."""
    for match in _LATIN.finditer(text):
        if name := spelled_like(match[0]):
            yield " + ".join(generics(name))
    for match in _HAN.finditer(text):
        yield from _one_letter_off(match[0])


def _one_letter_off(run: str) -> Iterator[str]:
    """The drugs whose Chinese name differs by one letter from a part of a run."""
    from rapidfuzz.distance import Levenshtein

    names = _chinese_names()
    near = {
        drug
        for name, drug in names.items()
        for start in range(len(run) - len(name) + 1)
        if Levenshtein.distance(name, run[start : start + len(name)], score_cutoff=1) <= 1
    }
    if len(near) == 1:
        yield from near


@cache
def _chinese_names() -> Mapping[str, str]:
    rows = read_rows("wardround.ehr.terms", "chinese.tsv")
    return {
        name: split_cell(names)[0]
        for kind, names, han, *_ in rows
        if kind == "drug"
        for name in split_cell(han)
        if len(name) >= _SHORTEST and _HAN.fullmatch(name)
    }


def named_diagnoses(question: str, memory: PatientMemory) -> tuple[Diagnosis, ...]:
    """The memory's diagnoses that a question in either language names.

    A known term names a diagnosis, as does a word of its name that labelled questions about other
    topics never use: "migraines" names a migraine, "home" does not name home oxygen.
    """
    terms = {mention.name for mention in mentions(question, "diagnosis")}
    asked = _words(question) - _general_words()
    return tuple(
        each for each in memory.diagnoses if each.generic in terms or _shares_word(asked, each)
    )


def _shares_word(asked: set[str], diagnosis: Diagnosis) -> bool:
    name_words = _words(f"{diagnosis.named('en')} {diagnosis.generic}")
    return any(_same_word(word, other) for word in asked for other in name_words)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _same_word(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    return long.startswith(short) and len(long) - len(short) <= _ENDING


@cache
def _general_words() -> frozenset[str]:
    rows = read_rows(__package__, "questions.tsv")
    return frozenset(
        word for topic, question in rows if topic != "diagnoses" for word in _words(question)
    )


def topics(subject: str, question: str, *, going_on: bool = False) -> tuple[Topic, ...]:
    """The topics that a question on a subject may be about, the likeliest first.

    A question that may be about either of two topics is answered on both: a patient who is asked
    how often it happens tells both the times and the number.

    Args:
        subject: the subject, such as `social_history`.
        question: the question; "" for none.
        going_on: the patient has not told all of a list, and may be asked to go on.

    >>> topics("symptom_history", "When did it start?")
    ('onset',)
    """
    allowed = TOPICS_OF[subject]
    if not question.strip():
        return ("more",) if going_on else allowed[:1]
    if going_on:
        allowed = (*allowed, "more")
    scores = _scores(question)
    ranked = sorted(allowed, key=lambda name: -scores[name])
    if ranked[0] == "more":
        return ("more",)
    least = scores[ranked[0]] - _NEAR
    return tuple(name for name in ranked[:_MOST] if scores[name] >= least and name != "more")


@lru_cache(maxsize=1024)
def _scores(question: str) -> dict[Topic, float]:
    return _classifier().scores(sample(question))


@cache
def _classifier() -> TextClassifier[Topic]:
    rows = list(read_rows(__package__, "questions.tsv"))
    return fitted([question for _, question in rows], [name for name, _ in rows], TOPICS)
