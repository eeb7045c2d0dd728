"""Search for database values by substring or similarity."""

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder, find_embedder
from wardround.ehr.values.index import FLOOR, Match, SimilarityIndex
from wardround.ehr.values.search import (
    ValueIndexes,
    build_indexes,
    preindexed_columns,
    similarity_search,
)
from wardround.ehr.values.substring import distinct_values, substring_search

__all__ = [
    "FLOOR",
    "Embedder",
    "Match",
    "SimilarityIndex",
    "ValueIndexes",
    "WordLlamaEmbedder",
    "build_indexes",
    "distinct_values",
    "find_embedder",
    "preindexed_columns",
    "similarity_search",
    "substring_search",
]
