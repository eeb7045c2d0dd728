"""The lexicon of directions: rising and falling, high and low, starting and stopping."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell

Meaning: TypeAlias = Literal[
    "rise", "fall", "high", "low", "normal", "stop", "start", "less", "more", "again", "check",
    "suggest",
]  # fmt: skip
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
# Meanings that exclude each other about one thing.
OPPOSITES: dict[Meaning, frozenset[Meaning]] = {
    "rise": frozenset({"fall"}),
    "fall": frozenset({"rise"}),
    "high": frozenset({"low", "normal"}),
    "low": frozenset({"high", "normal"}),
    "normal": frozenset({"high", "low"}),
    "stop": frozenset({"start", "more"}),
    "less": frozenset({"more"}),
    "more": frozenset({"less", "stop"}),
}
_NEGATIONS = re.compile(
    r"\b(?:no|not|never|none|without|avoid(?:s|ed)?|den(?:y|ies|ied)|nor|cannot)\b|n't\b"
    r"|不(?!规则|稳)|没有|没|未(?!来)|无(?!论)|勿|避免|别(?!人)",
    re.IGNORECASE,
)


def meanings(text: str) -> frozenset[Meaning]:
    """The meanings that a text expresses.

    >>> sorted(meanings("Potassium fell and is normal."))
    ['fall', 'normal']
    >>> sorted(meanings("血钾下降，建议复查"))
    ['again', 'check', 'fall', 'suggest']
    """
    return frozenset(m for m, words in _patterns().items() if words.search(text))


def spans(text: str, *wanted: Meaning) -> Iterator[tuple[int, int]]:
    """The places of words with one of some meanings."""
    for meaning in wanted:
        yield from (match.span() for match in _patterns()[meaning].finditer(text))


def is_negated(text: str) -> bool:
    """True if a text denies what it says.

    >>> is_negated("do not add potassium"), is_negated("不要补钾"), is_negated("recheck it")
    (True, True, False)
    """
    return _NEGATIONS.search(text) is not None


def without_negation(text: str) -> str:
    """The text without its words of negation."""
    return _NEGATIONS.sub(" ", text)


@cache
def _patterns() -> dict[Meaning, re.Pattern[str]]:
    found: dict[Meaning, re.Pattern[str]] = {}
    for meaning, english, chinese in read_rows(__package__, "words.tsv"):
        parts = [*map(_english, split_cell(english)), *map(re.escape, split_cell(chinese))]
        longest_first = sorted(parts, key=len, reverse=True)
        found[meaning] = re.compile("|".join(longest_first), re.IGNORECASE)  # type: ignore[index]
    return found


def _english(word: str) -> str:
    stem = re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+")
    return rf"(?<![A-Za-z]){stem}" + ("[A-Za-z]*" if word.endswith("*") else r"(?![A-Za-z])")
