"""Columns of results by what they mean: by name, by the concepts in a name, then by place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token, leaf_words
from wardround.benchmarks.clinsql.items.checks import Column
from wardround.core.packaged_data import read_rows, split_cell

STATISTICS = frozenset(("mean", "median", "q1", "q3", "sd", "min", "max", "sum", "count", "iqr"))
# Nouns of columns that sort values, which a text about the values does not mean.
_SORTS = leaf_words("sort")
_FILLER = leaf_words("filler")
_WORD = re.compile(r"[a-z]+\d*|\d+(?:st|nd|rd|th)?")
# A letter with or without a number, and no percentile.
_PLACEHOLDER = re.compile(r"(?!p\d)[a-z]\d*|\d+")
# Cosine similarities of expanded names: from SAME on, a meaning is the same; below _OTHER it is
# another. Between them nothing is decided.
SAME, _OTHER = 0.85, 0.12
_KEPT = 4096


def same_name(columns: Sequence[str], name: str) -> int | None:
    """The place of the one column with this name, in any case and with any separators.

    >>> same_name(["n", "Mean LOS_days"], "mean_los_days")
    1
    """
    exact = [at for at, column in enumerate(columns) if column == name]
    matches = exact or [at for at, column in enumerate(columns) if _bare(column) == _bare(name)]
    return matches[0] if len(matches) == 1 else None


def _bare(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


@cache
def concepts(text: str) -> frozenset[str]:
    """The concepts of a name or phrase, synonyms as the same word.

    >>> concepts("avg_los_days") == concepts("mean length of stay in days")
    True
    """
    joined = f" {' '.join(_WORD.findall(text.lower().replace('_', ' ')))} "
    for phrase, concept in _synonyms():
        joined = joined.replace(f" {phrase} ", f" {concept} ")
    return frozenset(_stem(word) for word in joined.split() if word not in _FILLER)


@cache
def _synonyms() -> list[tuple[str, str]]:
    """Phrases and their concepts, the longest phrase first."""
    rows = read_rows(__package__, "concept_words.tsv")
    pairs = [(phrase, concept) for concept, listed, _ in rows for phrase in split_cell(listed)]
    return sorted(pairs, key=lambda pair: -len(pair[0]))


def _stem(word: str) -> str:
    if word in STATISTICS or len(word) < 4 or word.endswith("ss"):
        return word
    return word.removesuffix("s")


def meant_column(columns: Sequence[str], text: str) -> int | None:
    """The place of the one column whose concepts a text has most of; None if two have as many.

    A column of another statistic does not match: the median is not a mean.

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


@dataclass(frozen=True, slots=True)
class Header:
    """The gold's columns, and the other names that the rubric offers for each."""

    columns: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...] = ()

    def find(self, tokens: Sequence[Token]) -> int | None:
        """The column that tokens name or mean; None if none or several."""
        named = {self._column_named(token.text) for token in tokens if token.kind == "name"} - {
            None
        }
        if named:
            return named.pop() if len(named) == 1 else None
        text = " ".join(token.text for token in tokens)
        best = meant_column(self.columns, text)
        if best is None and self.aliases:
            best = meant_column([" ".join(names[:1]) for names in self.aliases], text)
        return best

    def column(self, at: int) -> Column:
        """The column at a place, as a check names it."""
        names = dict.fromkeys((self.columns[at], *(self.aliases[at] if self.aliases else ())))
        meaning = self.columns[at].replace("_", " ")
        return Column(names=tuple(names), meaning=meaning, position=at)

    def _column_named(self, name: str) -> int | None:
        at = same_name(self.columns, name)
        if at is not None:
            return at
        offered = [at for at, each in enumerate(self.aliases) if same_name(each, name) is not None]
        return offered[0] if len(offered) == 1 else None


@dataclass(frozen=True, slots=True)
class Match:
    """The place of a column in a result, and how it was found."""

    at: int
    how: Literal["name", "meaning", "place"]


def find_column(column: Column, result: ResultFacts, gold: ResultFacts) -> Match | None:
    """The column that a check means; None if nothing is sure.

    Args:
        column: the column as the check names it.
        result: the result.
        gold: the gold's result; its other columns are not taken for this one.
    """
    named = [at for name in column.names if (at := same_name(result.columns, name)) is not None]
    if named:
        return Match(named[0], "name")
    unclaimed = _unclaimed(column, result, gold)
    meant = _column_alike(column, result.columns, unclaimed)
    if meant is not None:
        return Match(meant, "meaning")
    at = column.position
    if at is None or at not in unclaimed or not _same_shape(result, gold):
        return None
    return Match(at, "place") if not _other_statistic(column, result.columns[at]) else None


def is_missing(column: Column, result: ResultFacts, gold: ResultFacts) -> bool:
    """True if each column of the result is another of the gold's, or means something else."""
    return all(
        _says_nothing(result.columns[at])
        or _other_statistic(column, result.columns[at])
        or all(similarity(name, result.columns[at]) < _OTHER for name in column.names)
        for at in _unclaimed(column, result, gold)
    )


def _unclaimed(column: Column, result: ResultFacts, gold: ResultFacts) -> list[int]:
    """The places in a result that have the name of no other column of the gold."""
    claimed_by_name = {same_name(gold.columns, name) for name in column.names}
    others = [name for at, name in enumerate(gold.columns) if at not in claimed_by_name]
    of_others = {same_name(result.columns, name) for name in others}
    return [at for at in range(len(result.columns)) if at not in of_others]


def _column_alike(column: Column, columns: Sequence[str], places: Sequence[int]) -> int | None:
    """The one unclaimed column that has the same concepts, or else is close in meaning."""
    same = [at for at in places if any(concepts(columns[at]) == concepts(n) for n in column.names)]
    if same:
        return same[0] if len(same) == 1 else None
    close = [
        at
        for at in places
        if not _other_statistic(column, columns[at])
        and any(similarity(name, columns[at]) >= SAME for name in column.names)
    ]
    return close[0] if len(close) == 1 else None


def _other_statistic(column: Column, name: str) -> bool:
    """True if both names state a statistic, and none in common."""
    wanted = frozenset().union(*(concepts(each) & STATISTICS for each in column.names))
    stated = concepts(name) & STATISTICS
    return bool(wanted and stated and not wanted & stated)


def _says_nothing(name: str) -> bool:
    """True if a name has no word and no percentile, as that of a column without an alias.

    >>> _says_nothing("f0_"), _says_nothing("p90"), _says_nothing("n")
    (True, False, False)
    """
    return all(_PLACEHOLDER.fullmatch(w) and w not in STATISTICS for w in concepts(name))


def _same_shape(result: ResultFacts, gold: ResultFacts) -> bool:
    if len(result.columns) != len(gold.columns):
        return False
    places = range(len(gold.columns))
    return all(result.column(at).is_numeric == gold.column(at).is_numeric for at in places)


@lru_cache(_KEPT)
def similarity(name: str, other: str) -> float:
    """The cosine of two names' embeddings, abbreviations written out."""
    from wardround.ehr.values import WordLlamaEmbedder  # loads weights

    first, second = WordLlamaEmbedder().encode([_phrase(name), _phrase(other)])
    return float(first @ second)


def _phrase(name: str) -> str:
    return " ".join(sorted(concepts(name)))
