"""How alike two texts are written: the same words, a part of the other, a typo away."""

from typing import TYPE_CHECKING

from wardround.ehr.values.normal_form import comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Two unrelated phrases share about half their letters in order, so that counts as nothing.
_CHANCE = 0.5
# A query found within a longer value is a little less than the value itself.
_PART = 0.9
_BETWEEN_WORDS = str.maketrans(dict.fromkeys(",;:()[]", " "))


def lexical_scores(queries: list[str], values: list[str]) -> "NDArray[np.float32]":
    """How alike each value is written to each query, 0 to 1; shape (values, queries).

    >>> lexical_scores(["Fever"], ["fever", "hay fever"]).astype(float).round(2).tolist()
    [[1.0], [0.8]]
    """
    import numpy as np
    from rapidfuzz import fuzz, process

    wanted, texts = _in_spaces(queries), _in_spaces(values)
    whole, sorted_words, part = (
        process.cdist(texts, wanted, scorer=scorer, dtype=np.float32) / np.float32(100)
        for scorer in (fuzz.ratio, fuzz.token_sort_ratio, fuzz.partial_ratio)
    )
    lengths = np.array([len(text) for text in texts])[:, None]
    holds = lengths >= np.array([len(text) for text in wanted])
    best = np.maximum(np.maximum(whole, sorted_words), np.where(holds, part * _PART, 0))
    scores: NDArray[np.float32] = np.clip((best - _CHANCE) / (1 - _CHANCE), 0, 1)
    return scores


def _in_spaces(texts: list[str]) -> list[str]:
    """In spaces, so that a part that begins and ends with a word counts for more."""
    return [f" {' '.join(comparable(text).translate(_BETWEEN_WORDS).split())} " for text in texts]
