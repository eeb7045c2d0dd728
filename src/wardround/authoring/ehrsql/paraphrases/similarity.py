"""How alike two wordings are, and which of them are too much so (EHRSQL, 3.3)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from wardround.authoring.ehrsql.templates.grammar import in_tense

_SLOT = re.compile(r"\{(?:a:)?(\w+)\}")


def plain(wording: str) -> str:
    """The words of a wording alone: wordings that differ in nothing else are one.

    >>> plain("Which drug [is|was] given, for {patient_id}?")
    'which drug is given for patient_id'
    """
    return " ".join(re.findall(r"\w+", in_tense(wording, over=False).lower()))


def same_words(one: str, other: str) -> bool:
    """Whether two wordings have the same words in whatever order.

    >>> same_words("{patient_id}, male or female?", "Female or male, {patient_id}?")
    True
    """
    return sorted(plain(one).split()) == sorted(plain(other).split())


def distance(one: str, other: str) -> float:
    """The Levenshtein distance of two wordings by the longer one's length, from 0 to 1.

    A slot counts as one letter, and nothing but letters and words' borders counts.

    >>> distance("Sex of patient {patient_id}?", "Age of patient {patient_id}.")
    0.1875
    """
    return Levenshtein.normalized_distance(_letters(one), _letters(other))


def nearest(wording: str, others: Iterable[str]) -> float:
    """The distance of a wording to the one of the others that is most like it; 1 if there is none.

    >>> nearest("Sex of {patient_id}?", [])
    1.0
    """
    return min((distance(wording, other) for other in others), default=1.0)


def apart(ranked: Iterable[str], known: Sequence[str], least: float) -> Iterator[float]:
    """The distance of each wording to those that go before it; under `least` it goes itself.

    A wording that goes takes no other one with it.

    Args:
        ranked: Wordings, the best first.
        known: Those that are there already, which go before all.
        least: The least distance of two wordings that may both stay.

    >>> found = apart(["Sex?", "Sexes?", "Gender?"], ["Date of birth?"], least=0.6)
    >>> [round(one, 2) for one in found]
    [0.92, 0.4, 0.83]
    """
    kept = list(known)
    for wording in ranked:
        found = nearest(wording, kept)
        if found >= least:
            kept.append(wording)
        yield found


def _letters(wording: str) -> list[str]:
    """The letters of the plain words, each slot as a letter of its own."""
    said = in_tense(wording, over=False).lower()
    pieces = re.findall(r"\{(?:a:)?\w+\}|\w+", said)
    return [letter for piece in pieces for letter in (*_spelt(piece), " ")][:-1]


def _spelt(piece: str) -> Iterable[str]:
    slot = _SLOT.fullmatch(piece)
    return [slot[1]] if slot else piece
