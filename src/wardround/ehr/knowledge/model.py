"""Entries of a knowledge base, which form a directed acyclic graph."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnowledgeEntry:
    """One entry of a knowledge base (Huo et al. 2025, 3.1).

    Attributes:
        id: Its unique number.
        name: The defined term.
        description: The purpose of the term.
        definition: The definition of the term.
        kind: The kind of knowledge, such as a calculation; "" if unknown.
        children: The ids of its dependencies.
    """

    id: int
    name: str
    description: str
    definition: str
    kind: str = ""
    children: tuple[int, ...] = ()


@dataclass(frozen=True)
class KnowledgeBase:
    """Entries by id, without dependency cycles."""

    entries: Mapping[int, KnowledgeEntry]

    def __iter__(self) -> Iterator[KnowledgeEntry]:
        return iter(self.entries.values())

    def named(self, name: str) -> KnowledgeEntry | None:
        """The entry of a name, ignoring case, or None."""
        folded = name.strip().lower()
        return next((entry for entry in self if entry.name.lower() == folded), None)

    def without(self, masked: Collection[int]) -> "KnowledgeBase":
        """The knowledge base without some entries; their dependents remain."""
        return KnowledgeBase({id: e for id, e in self.entries.items() if id not in masked})
