"""Entries of knowledge and the directed acyclic graph that they form."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of knowledge (BIRD-Interact, 3.1).

    Attributes:
        id: Its number in the knowledge base.
        name: What it defines.
        description: What it is for.
        definition: What it is.
        kind: Which sort of knowledge it is, such as a calculation; "" where it is not told.
        children: The ids of the entries that it is built on.
    """

    id: int
    name: str
    description: str
    definition: str
    kind: str = ""
    children: tuple[int, ...] = ()


@dataclass(frozen=True)
class KnowledgeBase:
    """Entries by id, none of which is built on itself."""

    entries: Mapping[int, Entry]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def named(self, name: str) -> Entry | None:
        """The entry of a name, whatever its case; None where there is none."""
        wanted = name.strip().lower()
        return next((entry for entry in self if entry.name.lower() == wanted), None)

    def without(self, masked: Collection[int]) -> "KnowledgeBase":
        """The knowledge base without some entries; what is built on them stays."""
        return KnowledgeBase({id: e for id, e in self.entries.items() if id not in masked})
