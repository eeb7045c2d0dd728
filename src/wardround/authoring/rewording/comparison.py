"""Compares wordings by words, qualifiers, distance (3.3) and senses, such as "above" or "not"."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from wardround.authoring.slots import SLOT, in_tense
from wardround.core.packaged_data import read_toml
from wardround.ehr.text.cues import negation_pattern

# A qualifier in at least this share of the known wordings belongs to the question.
_USUAL = 0.8
_TEXTS = 4096  # whose senses are remembered: a request is compared with many wordings
_WORD_OR_SLOT = re.compile(rf"{SLOT.pattern}|\w+")


def plain(wording: str) -> str:
    """Returns the words of a wording in lower case, without punctuation and tenses.

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
    """Returns the Levenshtein distance of two wordings, normalized by length, from 0 to 1.

    A slot counts as one letter; punctuation does not count.

    >>> distance("Sex of patient {patient_id}?", "Age of patient {patient_id}.")
    0.1875
    """
    return Levenshtein.normalized_distance(_letters(first), _letters(second))


def nearest(wording: str, known: Iterable[str]) -> float:
    """Returns the distance of a wording to the nearest known wording; 1.0 if there is none.

    >>> nearest("Sex of {patient_id}?", [])
    1.0
    """
    return min((distance(wording, known_wording) for known_wording in known), default=1.0)


def distances(ranked: Iterable[str], known: Sequence[str], least: float) -> Iterator[float]:
    """Yields the distance of each wording to the nearest unpruned wording before it.

    A wording nearer than `least` is pruned and no longer compared with.

    Args:
        ranked: wordings, the best first.
        known: wordings that precede all of `ranked`.
        least: the smallest distance between unpruned wordings.

    >>> to_known = distances(["Sex?", "Sexes?", "Gender?"], ["Date of birth?"], least=0.6)
    >>> [round(distance, 2) for distance in to_known]
    [0.92, 0.4, 0.83]
    """
    unpruned = list(known)
    for wording in ranked:
        to_nearest = nearest(wording, unpruned)
        if to_nearest >= least:
            unpruned.append(wording)
        yield to_nearest


def lost_qualifiers(wording: str, known: Sequence[str]) -> frozenset[str]:
    """Returns the qualifiers that most known wordings have and this one lacks.

    >>> lost_qualifiers("Which patients had {drug_name}?", ["How many patients had {drug_name}?"])
    frozenset({'count'})
    """
    counts = Counter(qualifier for text in known for qualifier in qualifiers(text))
    usual = {name for name, count in counts.items() if count >= _USUAL * len(known)}
    return frozenset(usual) - qualifiers(wording)


def added_qualifiers(wording: str, known: Iterable[str]) -> frozenset[str]:
    """Returns the qualifiers of a wording that no known wording has.

    >>> added_qualifiers("Which drug was last given?", ["Which drug was given?"])
    frozenset({'last'})
    """
    return qualifiers(wording) - frozenset().union(*map(qualifiers, known))


@cache
def qualifiers(wording: str) -> frozenset[str]:
    """Returns the qualifiers in a wording, such as "last" or "count" (`qualifiers.toml`)."""
    text = SLOT.sub(" ", in_tense(wording, over=False)).lower()
    return frozenset(name for name, pattern in _patterns().items() if pattern.search(text))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    stored = read_toml(__package__, "qualifiers.toml")
    return {name: re.compile(rf"\b(?:{_either(forms)})\b") for name, forms in stored.items()}


def _either(patterns: Iterable[str]) -> str:
    """A pattern of any of several, with the words that negate filled in."""
    return "|".join(patterns).replace("{negation}", negation_pattern())


def _letters(wording: str) -> list[str]:
    """The letters of the plain words, each slot as a single letter."""
    letters: list[str] = []
    for piece in _WORD_OR_SLOT.finditer(in_tense(wording, over=False).lower()):
        letters += [*([piece[2]] if piece[2] else piece[0]), " "]
    return letters[:-1]


class _Form(NamedTuple):
    sense: str
    is_counted: bool
    pattern: re.Pattern[str]


def changed_senses(old: str, new: str) -> tuple[str, ...]:
    """The senses that a request in other words loses or adds.

    >>> changed_senses("You want stays with a result above 5.", "You want those that exceed 5.")
    ('stays', 'test')
    >>> changed_senses("Leave out women aged 65 or older.", "Exclude the women of at least 65.")
    ('age',)
    """
    before, after = senses(old), senses(new)
    return tuple(sense for sense in sorted({*before, *after}) if before[sense] != after[sense])


@lru_cache(_TEXTS)
def senses(text: str) -> Counter[str]:
    """The senses of a request with their counts; one that is not counted has 1."""
    numbered = re.sub(r"\d+(?:\.\d+)?", "#", text.lower().replace("\u2019", "'"))
    read: Counter[str] = Counter()
    for form in _longest(numbered):
        read[form.sense] = read[form.sense] + 1 if form.is_counted else 1
    del read[""]
    return read


def _longest(text: str) -> Iterator[_Form]:
    """The forms in a text from left to right; the longest of several that begin at one place."""
    end_of_form = 0
    matches = sorted(
        (
            (match.start(), -match.end(), form)
            for form in _forms()
            for match in form.pattern.finditer(text)
        ),
        key=lambda match: match[:2],
    )
    end_of_last = (0, 0)
    for start, end, form in matches:
        if start >= end_of_form:
            yield form
            end_of_form, end_of_last = -end, (start, end)
        elif (start, end) == end_of_last:
            yield form  # one phrase may have two senses


@cache
def _forms() -> tuple[_Form, ...]:
    table: Mapping[str, Mapping[str, list[str]]] = read_toml(__package__, "senses.toml")
    return tuple(
        _Form(sense, group == "counted", re.compile(rf"(?<!\w)(?:{_either([pattern])})(?!\w)"))
        for group, listed in table.items()
        for sense, patterns in listed.items()
        for pattern in patterns
    )
