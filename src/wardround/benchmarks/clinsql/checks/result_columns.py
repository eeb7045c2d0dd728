"""The column of a result that a text means: by name, then by the concepts in name and text."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from wardround.benchmarks.clinsql import checks

_WORD = re.compile(r"[a-z]+\d*|\d+(?:st|nd|rd|th)?")
_FILLER = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "is",
        "as",
        "it",
        "its",
        "per",
        "by",
        "to",
        "and",
        "or",
        "with",
        "for",
        "at",
        "was",
        "be",
    ]
)


def normalised(name: str) -> str:
    """A name without case and separators.

    >>> normalised("Mean LOS_days") == normalised("mean_los_days")
    True
    """
    return "".join(character for character in name.lower() if character.isalnum())


def same_name(columns: Sequence[str], name: str) -> int | None:
    """The place of the one column with this name, in any case and with any separators."""
    found = [at for at, column in enumerate(columns) if normalised(column) == normalised(name)]
    exact = [at for at, column in enumerate(columns) if column == name]
    found = exact or found
    return found[0] if len(found) == 1 else None


@cache
def concepts(text: str) -> frozenset[str]:
    """The concepts of a name or phrase, synonyms as the same word.

    >>> concepts("avg_los_days") == concepts("mean length of stay in days")
    True
    """
    words = _WORD.findall(text.lower().replace("_", " "))
    joined = f" {' '.join(words)} "
    for phrase, concept in _synonyms():
        joined = joined.replace(f" {phrase} ", f" {concept} ")
    return frozenset(_stem(word) for word in joined.split() if word not in _FILLER)


def meant_column(columns: Sequence[str], text: str) -> int | None:
    """The place of the one column whose concepts a text has most of; None if two have as many.

    A column of another statistic is not meant: the median is no mean.

    >>> meant_column(["n_admissions", "mean_los", "median_los"], "The median stay is reported")
    2
    """
    wanted = concepts(text)
    shares = [_share(concepts(column), wanted) for column in columns]
    best = max(shares, default=(0.0, 0))
    return shares.index(best) if best[0] >= 0.5 and shares.count(best) == 1 else None


def _share(column: frozenset[str], wanted: frozenset[str]) -> tuple[float, int]:
    """The share of a column's concepts that are wanted, and their number."""
    statistics = column & STATISTICS
    if not column or (wanted & STATISTICS and statistics and not statistics & wanted):
        return 0.0, 0
    if column & _SORTS - wanted:
        return 0.0, 0
    shared = len(column & wanted)
    return shared / len(column), shared


# Nouns of columns that sort values, which a text about the values does not mean.
_SORTS = frozenset(["category", "group", "class", "label", "type", "stratum", "tier", "bin"])
STATISTICS = frozenset(["mean", "median", "q1", "q3", "sd", "min", "max", "sum", "count", "iqr"])


@cache
def _synonyms() -> list[tuple[str, str]]:
    """Phrases and their concepts, the longest phrase first."""
    lines = (files(checks) / "column_words.tsv").read_text("utf-8").splitlines()
    pairs = [
        (phrase, concept)
        for line in lines
        for concept, phrases in [line.split("\t")]
        for phrase in phrases.split(", ")
    ]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _stem(word: str) -> str:
    if word in STATISTICS or len(word) < 4 or word.endswith("ss"):
        return word
    return word.removesuffix("s")
