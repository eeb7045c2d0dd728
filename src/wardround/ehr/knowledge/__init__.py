"""The hierarchical knowledge base of terms, and the meanings of columns."""

from wardround.ehr.knowledge.documents import (
    Documents,
    clinical_knowledge,
    own_documents,
    parse_knowledge,
    read_documents,
    read_knowledge,
)
from wardround.ehr.knowledge.graph import (
    chain_nodes,
    gap_kinds,
    topological_order,
    with_dependencies,
)
from wardround.ehr.knowledge.meanings import (
    Meaning,
    Meanings,
    meanings_of,
    meanings_of_schema,
    parse_meanings,
    read_meanings,
)
from wardround.ehr.knowledge.model import (
    KnowledgeBase,
    KnowledgeEntry,
    all_knowledge,
    knowledge_named,
    knowledge_names,
    public_fields,
)

__all__ = [
    "Documents",
    "KnowledgeBase",
    "KnowledgeEntry",
    "Meaning",
    "Meanings",
    "all_knowledge",
    "chain_nodes",
    "clinical_knowledge",
    "gap_kinds",
    "knowledge_named",
    "knowledge_names",
    "meanings_of",
    "meanings_of_schema",
    "own_documents",
    "parse_knowledge",
    "parse_meanings",
    "public_fields",
    "read_documents",
    "read_knowledge",
    "read_meanings",
    "topological_order",
    "with_dependencies",
]
