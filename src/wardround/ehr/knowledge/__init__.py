"""The hierarchical knowledge base: what terms mean, built on other terms, and what columns hold."""

from wardround.ehr.knowledge.model import Entry, KnowledgeBase

__all__ = ["Entry", "KnowledgeBase"]
