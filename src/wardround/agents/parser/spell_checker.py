"""Slips of the pen in a question."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from wardround.agents.parser.tokens import Word, words
from wardround.ehr.terms import generics, spelled_like

# How likely a word means the one that is written nearly so.
CHANCE = 0.85

_SHORTEST = 5
_LONG = 12


class Slip(NamedTuple):
    """A word that is written wrong, and the word that it means."""

    said: str
    meant: str


def without_slips(
    question: str, strange: Callable[[Word], bool], names: Collection[str]
) -> tuple[str, tuple[Slip, ...]]:
    """The question with slips put right, and what they were.

    One letter may be wrong, two in a long word; the first has to be right. Where two words are as
    near, none is meant. An "s" more or less is no slip.

    Args:
        question: What is asked.
        strange: Whether a word is none that questions are put with.
        names: The words that it may mean.
    """
    slips: list[Slip] = []
    for word in reversed(words(question)):
        if len(word.text) >= _SHORTEST and strange(word) and (meant := _meant(word.text, names)):
            slips.append(Slip(question[word.start : word.end], meant))
            question = question[: word.start] + meant + question[word.end :]
    return question, tuple(reversed(slips))


def _meant(word: str, names: Collection[str]) -> str | None:
    from rapidfuzz.distance import DamerauLevenshtein
    from rapidfuzz.process import extract

    if word in names or generics(word):
        return None
    alike = [name for name in names if name[0] == word[0] and len(name) >= _SHORTEST]
    most = 2 if len(word) >= _LONG else 1
    near = extract(word, alike, scorer=DamerauLevenshtein.distance, score_cutoff=most, limit=2)
    if not near:
        return spelled_like(word)
    meant = str(near[0][0])
    tied = len(near) > 1 and near[1][1] == near[0][1]
    return None if tied or meant.rstrip("s") == word.rstrip("s") else meant
