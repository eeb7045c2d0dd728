"""Masks the names, numbers and times of a question."""

import re
from collections.abc import Collection, Iterable

from wardround.agents.pairs import Pair
from wardround.ehr.times import find_times

_WORD = re.compile(r"<\w+>|[^\W_]+|[^\w\s]")
_NUMBER = re.compile(r"\d")
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
LONGEST = 16  # words in a name

Words = tuple[str, ...]


def known_values(pairs: Iterable[Pair]) -> frozenset[Words]:
    """The words of each name in the SQL that its question has, too."""
    return frozenset(
        name
        for pair in pairs
        for text in _LITERAL.findall(pair.sql or "")
        if (name := _words(text))
        and not _NUMBER.fullmatch(text)
        and " ".join(name) in " ".join(_words(pair.question))
    )


def masked(question: str, values: Collection[Words]) -> str:
    """The question's words, with each name, number and time replaced by its kind.

    >>> masked("Was patient 7 given Aspirin since 2100?", {("aspirin",)})
    'was patient <number> given <name> <global> ?'
    """
    words = _words(_without_times(question))
    parts: list[str] = []
    while words:
        length = _name_at_start(words, values)
        parts.append("<name>" if length else _number_masked(words[0]))
        words = words[max(length, 1) :]
    return " ".join(parts)


def _without_times(question: str) -> str:
    for found in reversed(find_times(question)):
        role = f" <{found.filter.template.role}> "
        question = question[: found.start] + role + question[found.end :]
    return question


def _name_at_start(words: Words, values: Collection[Words]) -> int:
    """The number of words of the longest name at the start; 0 if there is none."""
    lengths = range(min(LONGEST, len(words)), 0, -1)
    return next((length for length in lengths if words[:length] in values), 0)


def _number_masked(word: str) -> str:
    return "<number>" if _NUMBER.match(word) else word


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower()))
