"""Lexical similarity of texts: shared words, substrings and typos."""

from typing import TYPE_CHECKING

from wardround.ehr.values.normal_form import comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Unrelated phrases share about half their letters in order: rescale this to 0.
_BASELINE = 0.5
# Factor for a query contained in a longer value.
_PARTIAL_MATCH = 0.9
_BETWEEN_WORDS = str.maketrans(dict.fromkeys(",;:()[]", " "))


def lexical_scores(queries: list[str], values: list[str]) -> "NDArray[np.float32]":
    """Lexical similarity of each value to each query, 0 to 1; shape (values, queries).

    >>> lexical_scores(["Fever"], ["fever", "hay fever"]).astype(float).round(2).tolist()
    [[1.0], [0.8]]
    """
    import numpy as np
    from rapidfuzz import fuzz, process

    padded_queries, texts = _padded(queries), _padded(values)
    whole, sorted_words, part = (
        process.cdist(texts, padded_queries, scorer=scorer, dtype=np.float32) / np.float32(100)
        for scorer in (fuzz.ratio, fuzz.token_sort_ratio, fuzz.partial_ratio)
    )
    lengths = np.array([len(text) for text in texts])[:, None]
    can_contain = lengths >= np.array([len(text) for text in padded_queries])
    best = np.maximum(
        np.maximum(whole, sorted_words), np.where(can_contain, part * _PARTIAL_MATCH, 0)
    )
    scores: NDArray[np.float32] = np.clip((best - _BASELINE) / (1 - _BASELINE), 0, 1)
    return scores


def _padded(texts: list[str]) -> list[str]:
    """Texts padded with spaces, to favour matches at word boundaries."""
    return [f" {' '.join(comparable(text).translate(_BETWEEN_WORDS).split())} " for text in texts]
