"""Finds the examples most similar to a question, by tf-idf over masked questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

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
    for time in reversed(find_times(question)):
        role = f" <{time.filter.template.role}> "
        question = question[: time.start] + role + question[time.end :]
    return question


def _name_at_start(words: Words, values: Collection[Words]) -> int:
    """The number of words of the longest name at the start; 0 if there is none."""
    lengths = range(min(LONGEST, len(words)), 0, -1)
    return next((length for length in lengths if words[:length] in values), 0)


def _number_masked(word: str) -> str:
    return "<number>" if _NUMBER.match(word) else word


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower()))


class Examples:
    """Questions with their SQL, searched by their words and pairs of words.

    Names, numbers and times are masked, so that the same question about two patients is one.

    >>> pairs = [
    ...     Pair("how many patients are there?", "SELECT 1"),
    ...     Pair("when was patient 7 first given aspirin?", "SELECT 2 WHERE drug = 'aspirin'"),
    ... ]
    >>> [pair.sql for pair in Examples(pairs).similar("when did patient 12 first get a drug?", 1)]
    ["SELECT 2 WHERE drug = 'aspirin'"]
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        self._values = known_values(pairs)
        self._masked = [masked(pair.question, self._values) for pair in pairs]
        counts = [Counter(_terms(text)) for text in self._masked]
        documents = Counter(term for count in counts for term in count)
        self._idf = {term: 1 + log(len(pairs) / number) for term, number in documents.items()}
        self._index = self._inverted([self._weights(count) for count in counts])

    def similar(self, question: str, k: int) -> list[Pair]:
        """The k most similar pairs, the best last, without repeats that differ in masked parts."""
        chosen: dict[str, Pair] = {}
        scores = self._scores(masked(question, self._values))
        for number in np.argsort(-scores, kind="stable"):
            if len(chosen) == k:
                break
            chosen.setdefault(self._masked[number], self._pairs[number])
        return list(chosen.values())[::-1]

    def _scores(self, text: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self._pairs))
        for term, weight in self._weights(Counter(_terms(text))).items():
            numbers, weights = self._index[term]
            scores[numbers] += weight * weights
        return scores

    def _weights(self, counts: Counter[str]) -> dict[str, float]:
        """The tf-idf weights of the known terms, as a vector of length 1."""
        raw = {t: (1 + log(n)) * self._idf[t] for t, n in counts.items() if t in self._idf}
        length = sum(weight**2 for weight in raw.values()) ** 0.5
        return {term: weight / length for term, weight in raw.items()}

    @staticmethod
    def _inverted(
        weights: Sequence[dict[str, float]],
    ) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """The questions that have a term, with its weight in each."""
        postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, terms in enumerate(weights):
            for term, weight in terms.items():
                postings[term].append((number, weight))
        return {
            term: (np.array([n for n, _ in posted]), np.array([w for _, w in posted]))
            for term, posted in postings.items()
        }


def _terms(text: str) -> Iterator[str]:
    words = text.split()
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(["^", *words, "$"]))
