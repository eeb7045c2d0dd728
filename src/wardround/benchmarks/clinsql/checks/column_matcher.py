"""Finds the column of a result that a check means: by name, by meaning, then by its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.result_columns import STATISTICS, concepts, same_name
from wardround.benchmarks.clinsql.checks.results_checks import Column

# Cosine similarities of expanded names: from SAME on, a meaning is the same; below OTHER it is
# another. Between them nothing is decided.
SAME, OTHER = 0.85, 0.12
# A letter with or without a number, and no percentile.
_PLACEHOLDER = re.compile(r"(?!p\d)[a-z]\d*|\d+")
How = Literal["name", "meaning", "place"]


@dataclass(frozen=True, slots=True)
class Match:
    """The place of a column in a result, and how it was found."""

    at: int
    how: How


def find_column(column: Column, result: ResultFacts, gold: ResultFacts) -> Match | None:
    """The column that a check means, None if nothing is sure.

    Args:
        column: The column as the check names it.
        result: The result.
        gold: The gold's result, whose other columns are not taken for this one.
    """
    named = [at for name in column.names if (at := same_name(result.columns, name)) is not None]
    if named:
        return Match(named[0], "name")
    open_places = unclaimed(column, result, gold)
    meant = _meant(column, result.columns, open_places)
    if meant is not None:
        return Match(meant, "meaning")
    at = column.position
    if at is None or at not in open_places or not _same_shape(result, gold):
        return None
    return Match(at, "place") if not _other_statistic(column, result.columns[at]) else None


def is_missing(column: Column, result: ResultFacts, gold: ResultFacts) -> bool:
    """True if each column of the result is another of the gold's, or means something else."""
    places = unclaimed(column, result, gold)
    return all(
        _says_nothing(result.columns[at])
        or _other_statistic(column, result.columns[at])
        or all(similarity(name, result.columns[at]) < OTHER for name in column.names)
        for at in places
    )


def unclaimed(column: Column, result: ResultFacts, gold: ResultFacts) -> list[int]:
    """The places in a result that have the name of no other column of the gold."""
    own = same_places(column.names, gold.columns)
    others = [name for at, name in enumerate(gold.columns) if at not in own]
    taken = {same_name(result.columns, name) for name in others}
    return [at for at in range(len(result.columns)) if at not in taken]


def same_places(names: Sequence[str], columns: Sequence[str]) -> set[int | None]:
    """The places of the columns with one of these names."""
    return {same_name(columns, name) for name in names}


def _meant(column: Column, columns: Sequence[str], places: Sequence[int]) -> int | None:
    """The one open column that means the same: the same concepts, or close in meaning."""
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


@lru_cache(4096)
def similarity(name: str, other: str) -> float:
    """The cosine of two names' embeddings, abbreviations written out."""
    from wardround.ehr.values import WordLlamaEmbedder  # loads weights

    first, second = WordLlamaEmbedder().encode([_phrase(name), _phrase(other)])
    return float(first @ second)


def _phrase(name: str) -> str:
    return " ".join(sorted(concepts(name)))
