"""Features of a question's wording, with the words of its task replaced by placeholders.

"From what age on is somebody elderly?" becomes "from what {subject} on is somebod {term}", so that
what is learned from questions about some tasks holds for others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log2

NUMBER, TERM, SUBJECT, UNKNOWN = "#", "{term}", "{subject}", "{unknown}"
_TOKEN = re.compile(r"\{(?:term|subject)\}|[a-z]+(?:'[a-z]+)?|\d[\d.,]*|<=|>=|<>|[<>=%?_$]")
_STEM = 6
# Words in fewer training lines are specific to their questions.
_KNOWN = 2
# Words in more lines ("how", "many") are words of questions even in an ambiguous term.
_COMMON = 12


def stem(word: str) -> str:
    """Returns the first letters of a word, which its forms share."""
    return word if word.startswith("{") else word[:_STEM]


def tokens(text: str) -> list[str]:
    """Splits a text into words and signs in lower case, with a placeholder for numbers.

    >>> tokens("Is it >= 80 or {term}?")
    ['is', 'it', '>=', '#', 'or', '{term}', '?']
    """
    matches = _TOKEN.findall(text.lower().replace("\u2019", "'"))
    return [NUMBER if token[0].isdigit() else token for token in matches]


@dataclass(frozen=True)
class TaskWords:
    """Stems of a task: of its ambiguous terms, and of its request and gold."""

    terms: frozenset[str]
    subjects: frozenset[str]


def task_words(terms: Iterable[str], texts: Iterable[str]) -> TaskWords:
    """Collects the stems of ambiguous terms and of a task's other texts."""
    return TaskWords(frozenset(_stems(terms)), frozenset(_stems(texts)))


def _stems(texts: Iterable[str]) -> Iterator[str]:
    return (stem(token) for text in texts for token in tokens(text))


@dataclass(frozen=True)
class Wording:
    """A question with placeholders.

    Attributes:
        tokens: Its stems and placeholders, runs of one placeholder joined.
        rest: Its words without those of the task, for the embedder.
    """

    tokens: tuple[str, ...]
    rest: str


def wording(text: str, task: TaskWords, frequencies: Mapping[str, int]) -> Wording:
    """Replaces the words of a task in a question, and the words that are in no training line.

    Args:
        text: The question.
        task: The words of its task.
        frequencies: The number of training lines with a stem.
    """
    names: list[str] = []
    rest = []
    for token in tokens(text):
        kind = _placeholder(stem(token), task, frequencies)
        if kind not in (TERM, SUBJECT) and token[0].isalpha():
            rest.append(token)
        if kind not in (TERM, SUBJECT) or names[-1:] != [kind]:
            names.append(kind)
    return Wording(tuple(names), " ".join(rest) or "x")


def _placeholder(word: str, task: TaskWords, frequencies: Mapping[str, int]) -> str:
    """Returns the placeholder of a stem, or the stem itself."""
    lines = frequencies.get(word, 0)
    if word in task.terms and lines < _COMMON:
        return TERM
    if lines >= _KNOWN or not word[0].isalpha():
        return word
    return SUBJECT if word in task.subjects else UNKNOWN


def features(question: Wording) -> set[str]:
    """Returns runs of up to three tokens, how it begins, its length and its unknown words."""
    words = list(question.tokens)
    ends = ["^", *words, "$"]
    unknown = words.count(UNKNOWN)
    return {
        *words,
        *(f"{a} {b}" for a, b in pairwise(ends)),
        *(f"{a} {b} {c}" for a, b, c in zip(ends, ends[1:], ends[2:], strict=False)),
        " ".join(ends[:4]),
        f"length {min(10, int(log2(1 + len(words)) * 2))}",
        f"unknown words {min(unknown, 4)}",
        f"unknown share {4 * unknown // max(1, len(words))}",
        f"term {TERM in words}, subject {SUBJECT in words}",
    }
