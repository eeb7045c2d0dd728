"""Values of the database that a sentence names, exactly or in other words."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from math import inf, log
from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.interview.said import listed
from wardround.agents.parser.linking import Name, ValueIndex
from wardround.agents.parser.words import words

_QUOTED = re.compile(r"[\"“”']([^\"“”]+?)[\"“”'](?!\w)")
_PARTS = re.compile(
    r",| and | or |;|\bsuch as\b|\binstead of\b|\bwho\b|\bwhere\b|\bwith\b|\bbut\b", re.IGNORECASE
)
_STEM = 11
_SHORTEST = 4


class Match(NamedTuple):
    """A value that some words name; `fit` is 1 for the very words, less for parts of them."""

    domain: Domain
    value: str
    fit: float
    weight: float


class ValueFinder:
    """Finds values by the words that they share with a text.

    Args:
        index: The values by their names.
    """

    def __init__(self, index: ValueIndex) -> None:
        self._index = index
        self._holding: Mapping[str, list[Name]] = _by_stem(index)

    def quoted(self, text: str) -> Iterator[dict[Domain, str]]:
        """Each value in quotation marks, as the columns that have it call it."""
        for found in _QUOTED.finditer(text):
            named = self._index.values.get(_name(found[1]))
            if named:
                yield {domain: values[0] for domain, values in named.items()}

    def matches(self, text: str, common: Collection[str] = ()) -> Iterator[dict[Domain, Match]]:
        """For each part of a text without quotation marks, the best value of each column.

        Args:
            text: The text.
            common: Words that name other things too, and no value by themselves.
        """
        others = frozenset(map(_stem, common))
        for part in _PARTS.split(_QUOTED.sub(" ", text)):
            best: dict[Domain, Match] = {}
            for match in (*self._of(part, others), *self._spoken(part)):
                other = best.get(match.domain)
                if other is None or match.fit * match.weight > other.fit * other.weight:
                    best[match.domain] = match
            if best:
                yield best

    def _of(self, part: str, common: frozenset[str]) -> Iterator[Match]:
        said = {_stem(word) for word in re.findall(r"[a-z][a-z0-9-]+", part.lower())}
        said |= {"".join(word) for word in re.findall(r"\d+(?:\.\d+)?", part)}
        seen: set[Name] = set()
        for stem in sorted(said):
            for name in self._holding.get(stem, []):
                if name not in seen:
                    seen.add(name)
                    yield from self._fits(name, said, common)

    def _spoken(self, part: str) -> Iterator[Match]:
        for value in listed("spoken", "value", part):
            for domain in self._index.values.get((value,), {}):
                yield Match(domain, value, inf, 1.0)

    def _fits(self, name: Name, said: set[str], common: frozenset[str]) -> Iterator[Match]:
        stems = [_stem(word) for word in name if word[0].isalnum()]
        rarity = [log(1 + len(self._holding) / (1 + len(self._holding.get(s, [])))) for s in stems]
        if set(stems) & said <= common and not set(stems) <= said:
            return
        shared = sum(worth for stem, worth in zip(stems, rarity, strict=True) if stem in said)
        for domain, values in self._index.values[name].items():
            yield Match(domain, values[0], shared / sum(rarity), shared)


def _by_stem(index: ValueIndex) -> dict[str, list[Name]]:
    holding: dict[str, list[Name]] = defaultdict(list)
    for name in index.values:
        for stem in dict.fromkeys(_stem(word) for word in name if len(word) >= _SHORTEST):
            holding[stem].append(name)
    return holding


@cache
def _stem(word: str) -> str:
    """The beginning of a word, without the ending of several.

    >>> _stem("staphylococci") == _stem("staphylococcus"), _stem("tests") == _stem("test")
    (True, True)
    """
    return (
        re.sub(r"(?:us|es|s|ies|y|i|um|a)$", "", word)[:_STEM] if len(word) >= _SHORTEST else word
    )


def _name(text: str) -> Name:
    return tuple(word.text for word in words(text))
