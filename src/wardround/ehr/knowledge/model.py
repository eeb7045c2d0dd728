"""Entries of a knowledge base, a directed acyclic graph, and their fields visible to agents."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from wardround.core.errors import ToolError


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


def knowledge_names(base: KnowledgeBase) -> list[str]:
    """The names of all entries, in the order of the knowledge base."""
    return [entry.name for entry in base]


def knowledge_named(base: KnowledgeBase, name: str) -> dict[str, int | str]:
    """The public fields of the entry of a name.

    Raises:
        ToolError: The entry does not exist or is masked.
    """
    entry = base.named(name)
    if entry is None:
        raise ToolError(f"There is no knowledge named {name!r}; ask for the names that there are.")
    return public_fields(entry)


def all_knowledge(base: KnowledgeBase) -> list[dict[str, int | str]]:
    """The public fields of all entries, in the order of the knowledge base."""
    return [public_fields(entry) for entry in base]


def public_fields(entry: KnowledgeEntry) -> dict[str, int | str]:
    """The fields of an entry that an agent may see (Huo et al. 2025, R.1).

    Excludes dependencies: the id of a missing child would reveal a mask.
    """
    return {
        "id": entry.id,
        "knowledge": entry.name,
        "description": entry.description,
        "definition": entry.definition,
    }
