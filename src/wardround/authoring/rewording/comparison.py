"""Compares wordings: their words, qualifiers and distances, to prune near duplicates (3.3)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from rapidfuzz.distance import Levenshtein

from wardround.authoring.slots import SLOT, in_tense
from wardround.core.packaged_data import read_toml

# Share of the known wordings with a qualifier from which on it belongs to the question.
_USUAL = 0.8
_WORD_OR_SLOT = re.compile(rf"{SLOT.pattern}|\w+")


def plain(wording: str) -> str:
    """Returns the words of a wording without its marks and tenses.

    >>> plain("Which drug [is|was] given, for {patient_id}?")
    'which drug is given for patient_id'
    """
    return " ".join(re.findall(r"\w+", in_tense(wording, over=False).lower()))


def same_words(first: str, second: str) -> bool:
    """True if two wordings have the same words in any order.

    >>> same_words("{patient_id}, male or female?", "Female or male, {patient_id}?")
    True
    """
    return sorted(plain(first).split()) == sorted(plain(second).split())


def distance(first: str, second: str) -> float:
    """The Levenshtein distance of two wordings by the longer one's length, from 0 to 1.

    A slot counts as one letter; marks do not count.

    >>> distance("Sex of patient {patient_id}?", "Age of patient {patient_id}.")
    0.1875
    """
    return Levenshtein.normalized_distance(_letters(first), _letters(second))


def nearest(wording: str, others: Iterable[str]) -> float:
    """The distance of a wording to the nearest of others; 1 if there is none.

    >>> nearest("Sex of {patient_id}?", [])
    1.0
    """
    return min((distance(wording, other_wording) for other_wording in others), default=1.0)


def distances(ranked: Iterable[str], known: Sequence[str], least: float) -> Iterator[float]:
    """The distance of each wording to those before it that are not pruned.

    A wording nearer than `least` is pruned, and prunes no other.

    Args:
        ranked: Wordings, the best first.
        known: Wordings that precede all of these.
        least: The least distance of two wordings that may both stay.

    >>> to_known = distances(["Sex?", "Sexes?", "Gender?"], ["Date of birth?"], least=0.6)
    >>> [round(distance, 2) for distance in to_known]
    [0.92, 0.4, 0.83]
    """
    staying = list(known)
    for wording in ranked:
        to_staying = nearest(wording, staying)
        if to_staying >= least:
            staying.append(wording)
        yield to_staying


def lost_qualifiers(wording: str, known: Sequence[str]) -> frozenset[str]:
    """The qualifiers that most known wordings have, and this one does not.

    >>> lost_qualifiers("Which patients had {drug_name}?", ["How many patients had {drug_name}?"])
    frozenset({'count'})
    """
    counts = Counter(each for text in known for each in qualifiers(text))
    usual = {each for each, count in counts.items() if count >= _USUAL * len(known)}
    return frozenset(usual) - qualifiers(wording)


def added_qualifiers(wording: str, known: Iterable[str]) -> frozenset[str]:
    """The qualifiers that this wording has, and no known one does.

    >>> added_qualifiers("Which drug was last given?", ["Which drug was given?"])
    frozenset({'last'})
    """
    return qualifiers(wording) - frozenset().union(*map(qualifiers, known))


@cache
def qualifiers(wording: str) -> frozenset[str]:
    """The qualifiers of `qualifiers.toml`, such as "last" or "count", outside a wording's slots."""
    text = SLOT.sub(" ", in_tense(wording, over=False)).lower()
    return frozenset(each for each, pattern in _patterns().items() if pattern.search(text))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    stored = read_toml(__package__, "qualifiers.toml")
    return {each: re.compile(rf"\b(?:{'|'.join(forms)})\b") for each, forms in stored.items()}


def _letters(wording: str) -> list[str]:
    """The letters of the plain words, each slot as a letter of its own."""
    letters: list[str] = []
    for piece in _WORD_OR_SLOT.finditer(in_tense(wording, over=False).lower()):
        letters += [*([piece[2]] if piece[2] else piece[0]), " "]
    return letters[:-1]
