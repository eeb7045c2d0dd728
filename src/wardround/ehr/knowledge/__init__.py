"""The hierarchical knowledge base: what terms mean, built on other terms, and what columns hold."""

from wardround.ehr.knowledge.documents import (
    Documents,
    clinical_knowledge,
    read_documents,
)
from wardround.ehr.knowledge.graph import (
    between,
    in_order,
    needed,
)
from wardround.ehr.knowledge.listing import all_knowledge, knowledge_named, knowledge_names, told
from wardround.ehr.knowledge.meanings import (
    Meaning,
    Meanings,
    meanings_of,
    meanings_of_schema,
    parse_meanings,
    read_meanings,
)
from wardround.ehr.knowledge.model import Entry, KnowledgeBase
from wardround.ehr.knowledge.parse import parse_knowledge, read_knowledge

__all__ = [
    "Documents",
    "Entry",
    "KnowledgeBase",
    "Meaning",
    "Meanings",
    "all_knowledge",
    "between",
    "clinical_knowledge",
    "in_order",
    "knowledge_named",
    "knowledge_names",
    "meanings_of",
    "meanings_of_schema",
    "needed",
    "parse_knowledge",
    "parse_meanings",
    "read_documents",
    "read_knowledge",
    "read_meanings",
    "told",
]
