"""Public views of a knowledge base: names, one entry, all entries."""

from wardround.core.errors import ToolError
from wardround.ehr.knowledge.model import KnowledgeBase, KnowledgeEntry


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
