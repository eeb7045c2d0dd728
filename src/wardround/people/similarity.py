"""Similarity of words by spelling and meaning, and of texts by embedding."""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALIKE = 85
# Unrelated words have about this cosine: rescale it to 0.
_BASELINE = 0.25


def is_same_word(first: str, second: str) -> bool:
    """True if two words differ only in their endings or by a typo.

    >>> is_same_word("discharged", "discharges"), is_same_word("age", "ago")
    (True, False)
    """
    shortest = min(len(first), len(second), 5)
    if first == second or (shortest >= 4 and first[:shortest] == second[:shortest]):
        return True
    return shortest >= 5 and _ratio(first, second) >= _ALIKE


def _ratio(first: str, second: str) -> float:
    from rapidfuzz import fuzz  # a run starts without it

    return fuzz.ratio(first, second)


@lru_cache(maxsize=65536)
def word_similarity(first: str, second: str) -> float:
    """Returns 1 for forms of one word, else the similarity of their meanings; 0 for numbers."""
    if is_same_word(first, second):
        return 1.0
    if first[0].isdigit() or second[0].isdigit():
        return 0.0
    cosine = float(text_vector(first) @ text_vector(second))
    return max(0.0, (cosine - _BASELINE) / (1 - _BASELINE))


@lru_cache(maxsize=16384)
def best_similarity(word: str, words: frozenset[str]) -> float:
    """Returns the similarity of a word to the most similar of some words."""
    if word in words:
        return 1.0
    return max((word_similarity(word, candidate) for candidate in words), default=0.0)


@lru_cache(maxsize=16384)
def text_vector(text: str) -> "NDArray[np.float32]":
    """Returns the unit vector of a text."""
    vector: NDArray[np.float32] = _embedder().encode([text])[0]
    return vector


@cache
def _embedder() -> Embedder:
    return WordLlamaEmbedder()
