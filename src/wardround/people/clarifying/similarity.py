"""How alike words are in letters, and texts in meaning."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALIKE = 85


def same(one: str, other: str) -> bool:
    """Whether two words are one but for their endings and a typo.

    >>> same("discharged", "discharges"), same("age", "ago")
    (True, False)
    """
    stem = min(len(one), len(other), 5)
    if stem >= 4 and one[:stem] == other[:stem]:
        return True
    return one == other or (stem >= 5 and fuzz.ratio(one, other) >= _ALIKE)


def among(word: str, words: Iterable[str]) -> bool:
    """Whether a word is one of others."""
    return any(same(word, other) for other in words)


def alike(question: str, texts: Sequence[str]) -> "NDArray[np.float32]":
    """How alike in meaning a question is to each of some texts, shape (texts,)."""
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
