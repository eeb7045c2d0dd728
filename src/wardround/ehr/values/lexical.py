"""How alike two texts are written: the same words, a part of the other, a typo away."""

from typing import TYPE_CHECKING

from wardround.ehr.values.texts import comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Two unrelated phrases share about half their letters in order, so that counts as nothing.
_CHANCE = 0.5
# A query found within a longer value is a little less than the value itself.
_PART = 0.9


def lexical_scores(query: str, values: list[str]) -> "NDArray[np.float32]":
    """How alike each value is written to the query, 0 to 1; shape (values,).

    >>> [round(float(score), 1) for score in lexical_scores("Fever", ["fever", "hay fever"])]
    [1.0, 0.8]
    """
    import numpy as np
    from rapidfuzz import fuzz, process

    # In spaces, so that a part that begins and ends with a word counts for more.
    wanted, texts = f" {comparable(query)} ", [f" {comparable(value)} " for value in values]
    whole, sorted_words, part = (
        process.cdist([wanted], texts, scorer=scorer, dtype=np.float32)[0] / np.float32(100)
        for scorer in (fuzz.ratio, fuzz.token_sort_ratio, fuzz.partial_ratio)
    )
    holds = np.array([len(text) >= len(wanted) for text in texts], dtype=bool)
    best = np.maximum(np.maximum(whole, sorted_words), np.where(holds, part * _PART, 0))
    scores: NDArray[np.float32] = np.clip((best - _CHANCE) / (1 - _CHANCE), 0, 1)
    return scores
