"""Distances between wordings, and pruning of near duplicates (Lee et al. 2022, 3.3)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from wardround.authoring.slots import SLOT, in_tense

_WORD_OR_SLOT = re.compile(rf"{SLOT.pattern}|\w+")


def plain(wording: str) -> str:
    """Returns the words of a wording alone: equal for wordings that differ in nothing else.

    >>> plain("Which drug [is|was] given, for {patient_id}?")
    'which drug is given for patient_id'
    """
    return " ".join(re.findall(r"\w+", in_tense(wording, over=False).lower()))


def same_words(wording: str, other: str) -> bool:
    """True if two wordings have the same words in whatever order.

    >>> same_words("{patient_id}, male or female?", "Female or male, {patient_id}?")
    True
    """
    return sorted(plain(wording).split()) == sorted(plain(other).split())


def distance(wording: str, other: str) -> float:
    """The Levenshtein distance of two wordings by the longer one's length, from 0 to 1.

    A slot counts as one letter; marks do not count.

    >>> distance("Sex of patient {patient_id}?", "Age of patient {patient_id}.")
    0.1875
    """
    return Levenshtein.normalized_distance(_letters(wording), _letters(other))


def nearest(wording: str, others: Iterable[str]) -> float:
    """The distance of a wording to the nearest of others; 1 if there is none.

    >>> nearest("Sex of {patient_id}?", [])
    1.0
    """
    return min((distance(wording, other) for other in others), default=1.0)


def distances(ranked: Iterable[str], known: Sequence[str], least: float) -> Iterator[float]:
    """The distance of each wording to those that stay before it.

    A wording nearer than `least` is pruned, and prunes no other.

    Args:
        ranked: Wordings, the best first.
        known: Wordings that are there already, before all of these.
        least: The least distance of two wordings that may both stay.

    >>> found = distances(["Sex?", "Sexes?", "Gender?"], ["Date of birth?"], least=0.6)
    >>> [round(distance, 2) for distance in found]
    [0.92, 0.4, 0.83]
    """
    staying = list(known)
    for wording in ranked:
        found = nearest(wording, staying)
        if found >= least:
            staying.append(wording)
        yield found


def _letters(wording: str) -> list[str]:
    """The letters of the plain words, each slot as a letter of its own."""
    letters: list[str] = []
    for piece in _WORD_OR_SLOT.finditer(in_tense(wording, over=False).lower()):
        letters += [*([piece[2]] if piece[2] else piece[0]), " "]
    return letters[:-1]
