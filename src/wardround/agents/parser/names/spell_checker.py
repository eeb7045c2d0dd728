"""Corrects misspelled names in a question."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from wardround.agents.parser.tokens import Word, words
from wardround.ehr.terms import generics, spelled_like

# The probability that a correction is what was meant.
PROBABILITY = 0.85

_MIN_LENGTH = 5
_LONG_WORD = 12


class Correction(NamedTuple):
    """A misspelled word and the word that it means."""

    written: str
    meant: str


def corrected(
    question: str, is_unknown: Callable[[Word], bool], vocabulary: Collection[str]
) -> tuple[str, tuple[Correction, ...]]:
    """Correct the unknown words of a question.

    One letter may be wrong, two in a long word, but never the first. A word that is equally close
    to two others, or differs by a plural "s" only, stays as it is.

    Args:
        question: The question.
        is_unknown: Whether a word is new to the parser.
        vocabulary: The words that it may mean.

    Returns:
        The corrected question, and the corrections from left to right.
    """
    corrections: list[Correction] = []
    for word in reversed(words(question)):
        if len(word.text) < _MIN_LENGTH or not is_unknown(word):
            continue
        if meant := _closest(word.text, vocabulary):
            corrections.append(Correction(question[word.start : word.end], meant))
            question = question[: word.start] + meant + question[word.end :]
    return question, tuple(reversed(corrections))


def _closest(word: str, vocabulary: Collection[str]) -> str | None:
    from rapidfuzz.distance import DamerauLevenshtein
    from rapidfuzz.process import extract

    if word in vocabulary or generics(word):
        return None
    similar = [name for name in vocabulary if name[0] == word[0] and len(name) >= _MIN_LENGTH]
    most = 2 if len(word) >= _LONG_WORD else 1
    closest = extract(word, similar, scorer=DamerauLevenshtein.distance, score_cutoff=most, limit=2)
    if not closest:
        return spelled_like(word)
    meant = str(closest[0][0])
    is_tied = len(closest) > 1 and closest[1][1] == closest[0][1]
    return None if is_tied or meant.rstrip("s") == word.rstrip("s") else meant
