"""Similarity of words by spelling and of texts by embedding."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALIKE = 85


def is_same_word(first: str, second: str) -> bool:
    """True if two words differ only in their endings or by a typo.

    >>> is_same_word("discharged", "discharges"), is_same_word("age", "ago")
    (True, False)
    """
    stem = min(len(first), len(second), 5)
    if first == second or (stem >= 4 and first[:stem] == second[:stem]):
        return True
    return stem >= 5 and _ratio(first, second) >= _ALIKE


def matches_any(word: str, words: Iterable[str]) -> bool:
    """True if a word matches any of some words."""
    return any(is_same_word(word, candidate) for candidate in words)


def _ratio(first: str, second: str) -> float:
    from rapidfuzz import fuzz  # a run starts without it

    return fuzz.ratio(first, second)


def similarities(question: str, texts: Sequence[str]) -> "NDArray[np.float32]":
    """Returns the cosine similarity of a question to each text, shape (texts,)."""
    import numpy as np

    asked = _vector(" ".join(re.findall(r"\w+", question)))
    return np.asarray([np.dot(_vector(text), asked) for text in texts], dtype=np.float32)


@lru_cache(maxsize=8192)
def _vector(text: str) -> "NDArray[np.float32]":
    vector: NDArray[np.float32] = _embedder().encode([text])[0]
    return vector


@cache
def _embedder() -> Embedder:
    return WordLlamaEmbedder()
