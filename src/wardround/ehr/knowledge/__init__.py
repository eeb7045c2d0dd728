"""The hierarchical knowledge base: what terms mean, built on other terms, and what columns hold."""

from wardround.ehr.knowledge.columns import (
    ColumnMeaning,
    ColumnMeanings,
    all_column_meanings,
    column_meaning,
    meanings_of_schema,
    parse_meanings,
    read_meanings,
)
from wardround.ehr.knowledge.documents import (
    Documents,
    clinical_documents,
    clinical_knowledge,
    read_documents,
)
from wardround.ehr.knowledge.graph import (
    Gap,
    between,
    chains,
    dependents,
    depths,
    gap,
    in_order,
    needed,
)
from wardround.ehr.knowledge.model import Entry, KnowledgeBase
from wardround.ehr.knowledge.parse import dump_knowledge, parse_knowledge, read_knowledge
from wardround.ehr.knowledge.telling import all_knowledge, knowledge_named, knowledge_names, told

__all__ = [
    "ColumnMeaning",
    "ColumnMeanings",
    "Documents",
    "Entry",
    "Gap",
    "KnowledgeBase",
    "all_column_meanings",
    "all_knowledge",
    "between",
    "chains",
    "clinical_documents",
    "clinical_knowledge",
    "column_meaning",
    "dependents",
    "depths",
    "dump_knowledge",
    "gap",
    "in_order",
    "knowledge_named",
    "knowledge_names",
    "meanings_of_schema",
    "needed",
    "parse_knowledge",
    "parse_meanings",
    "read_documents",
    "read_knowledge",
    "read_meanings",
    "told",
]
