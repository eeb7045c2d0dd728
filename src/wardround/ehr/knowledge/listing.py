"""What may be told of a knowledge base: names, one entry, all entries."""

from wardround.core.errors import ToolError
from wardround.ehr.knowledge.model import Entry, KnowledgeBase


def knowledge_names(base: KnowledgeBase) -> list[str]:
    """The names of all entries, in the order of the knowledge base."""
    return [entry.name for entry in base]


def knowledge_named(base: KnowledgeBase, name: str) -> dict[str, int | str]:
    """What may be told of the entry of a name.

    Raises:
        ToolError: There is no such entry; one that is masked is as if it had never been.
    """
    entry = base.named(name)
    if entry is None:
        raise ToolError(f"There is no knowledge named {name!r}; ask for the names that there are.")
    return told(entry)


def all_knowledge(base: KnowledgeBase) -> list[dict[str, int | str]]:
    """What may be told of all entries, in the order of the knowledge base."""
    return [told(entry) for entry in base]


def told(entry: Entry) -> dict[str, int | str]:
    """What an agent sees of an entry, as the paper shows it (R.1).

    What it is built on stays out: the id of a child that cannot be found would give a mask away.
    """
    return {
        "id": entry.id,
        "knowledge": entry.name,
        "description": entry.description,
        "definition": entry.definition,
    }
