"""The types of ambiguity and follow-up, their families, and their spellings in task files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, cast

from wardround.core.packaged_data import read_rows

Family: TypeAlias = Literal["intent", "implementation", "knowledge", "environment", "follow-up"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of ambiguity or follow-up (Huo et al. 2025, H).

    Attributes:
        published: Its spelling in task files.
        also: Other words for it, as `bare` leaves them.
    """

    name: str
    family: Family
    published: str
    also: tuple[str, ...]
    meaning: str


@cache
def kinds() -> tuple[Kind, ...]:
    """Returns all types, in the order of reports."""
    return tuple(_kind(*row) for row in read_rows("wardround.people.clarifying", "kinds.tsv"))


def names(*families: Family) -> tuple[str, ...]:
    """Returns the names of the types of some families.

    >>> names("knowledge", "environment")
    ('one-shot', 'chain', 'environmental')
    """
    return tuple(kind.name for kind in kinds() if kind.family in families)


def ambiguity_kind(written: str) -> str:
    """Returns our name for a type of ambiguity as a file spells it; unknown words stay.

    >>> ambiguity_kind("Schema_Linking_Ambiguity"), ambiguity_kind("something new")
    ('schema linking', 'something new')
    """
    return _by_word(*_AMBIGUITIES).get(bare(written), written)


def follow_up_kind(written: str) -> str:
    """Returns our name for a type of follow-up as a file spells it; unknown words stay.

    >>> follow_up_kind("Result-based")
    'result-based'
    """
    return _by_word("follow-up").get(bare(written), written)


def published(name: str) -> str:
    """Returns the published spelling of a type; a name that is not ours stays.

    >>> published("divide by zero")
    'divide_by_zero_ambiguity'
    """
    return next((kind.published for kind in kinds() if kind.name == name), name)


def in_order(found: Iterable[str]) -> tuple[str, ...]:
    """Returns names of types, each once, in the order of reports; names not ours come last.

    >>> in_order(["sort", "other", "semantic", "sort"])
    ('semantic', 'sort', 'other')
    """
    ours = {kind.name: position for position, kind in enumerate(kinds())}
    return tuple(sorted(set(found), key=lambda name: (ours.get(name, len(ours)), name)))


def bare(written: str) -> str:
    """Returns a type's words in lower case, without hyphens and words that all types share.

    >>> bare("Divide-by-Zero Ambiguity")
    'divide by zero'
    """
    words = re.findall(r"[^\W_]+", written.lower())
    return " ".join(word for word in words if word not in _SHARED)


_SHARED = {"ambiguity", "ambiguities", "level", "type"}


def _kind(name: str, family: str, written: str, also: str, meaning: str) -> Kind:
    return Kind(name, cast("Family", family), written, tuple(also.split("; ")), meaning)


_AMBIGUITIES: tuple[Family, ...] = ("intent", "implementation", "knowledge", "environment")


@cache
def _by_word(*families: Family) -> dict[str, str]:
    return {
        word: kind.name
        for kind in kinds()
        if kind.family in families
        for word in (bare(kind.name), bare(kind.published), *kind.also)
    }
