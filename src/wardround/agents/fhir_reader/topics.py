"""Events that a question is about, among all events of a type that a patient has."""

import re
from collections.abc import Sequence
from itertools import pairwise

from wardround.agents.fhir_reader.channel import Resource
from wardround.agents.fhir_reader.elements import length_named, names_of
from wardround.agents.fhir_reader.question import Question
from wardround.ehr.terms import find_drugs
from wardround.ehr.terms.diagnoses import lab_names

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]+")


def about(question: Question, resources: Sequence[Resource]) -> list[Resource]:
    """The events that a question names by code or name."""
    if question.code:
        wanted = _plain(question.code)
        return [each for each in resources if wanted in map(_plain, names_of(each))]
    if quoted := re.findall(r'"([^"]+)"', question.text):
        return [each for each in resources if set(quoted) & set(names_of(each))]
    if question.subject == "MedicationRequest":
        return _of_drugs(question.text, resources)
    if question.subject == "Observation":
        return _longest_named(_with_synonyms(question.text), resources)
    return _sharing_words(question.text, resources)


def is_narrowed(text: str) -> bool:
    """True if a text asks about a part of the events: a quoted name, a drug, or a date."""
    return bool(re.search(r'"|\b\d{4}-\d\d-\d\d\b', text) or find_drugs(text))


def _plain(code: str) -> str:
    return code.replace(".", "").lower()


def _of_drugs(text: str, resources: Sequence[Resource]) -> list[Resource]:
    asked = _generics(text)
    return [each for each in resources if asked & _generics("; ".join(names_of(each)))]


def _generics(text: str) -> set[str]:
    return {drug for mention in find_drugs(text) for drug in mention.generics}


def _longest_named(text: str, resources: Sequence[Resource]) -> list[Resource]:
    lengths = [length_named(each, text) for each in resources]
    longest = max(lengths, default=0)
    pairs = zip(resources, lengths, strict=True)
    return [each for each, length in pairs if longest and length == longest]


def _with_synonyms(text: str) -> str:
    """The text followed by the labels of tests that its words or pairs of words name."""
    words = _WORD.findall(text)
    phrases = [*words, *(" ".join(pair) for pair in pairwise(words))]
    return " | ".join([text, *(label for phrase in phrases for label in lab_names(phrase))])


def _sharing_words(text: str, resources: Sequence[Resource]) -> list[Resource]:
    asked = {word.lower() for word in _WORD.findall(text) if len(word) > 3}
    return [
        each
        for each in resources
        if asked & {word.lower() for name in names_of(each) for word in _WORD.findall(name)}
    ]
