"""Search for database values by substring or similarity."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder, find_embedder
    from wardround.ehr.values.index import FLOOR, Match, SimilarityIndex
    from wardround.ehr.values.search import (
        ValueIndexes,
        build_indexes,
        preindexed_columns,
        similarity_search,
    )
    from wardround.ehr.values.substring import distinct_values, substring_search
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "embedders": ("Embedder", "WordLlamaEmbedder", "find_embedder"),
            "index": ("FLOOR", "Match", "SimilarityIndex"),
            "search": ("ValueIndexes", "build_indexes", "preindexed_columns", "similarity_search"),
            "substring": ("distinct_values", "substring_search"),
        },
    )

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
