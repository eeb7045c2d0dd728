"""Similarity index of the distinct values of one column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from wardround.ehr.values.embedders import Embedder
from wardround.ehr.values.lexical import Trigrams, comparable, lexical_scores
from wardround.ehr.values.names import other_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Calibrated on diagnosis, drug, lab and item names: the intended value scores above it, few
# values do for queries that name nothing in the column.
FLOOR = 0.55
# Factor for matches of an alias, so that an equal match of the query itself ranks first.
_ALIAS_WEIGHT = 0.97


@dataclass(frozen=True)
class Match:
    """A matching value.

    Attributes:
        value: The value in the database.
        score: Similarity to the query, 0 to 1.
    """

    value: str
    score: float


@dataclass(frozen=True)
class SimilarityIndex:
    """The values of a column with their vectors and trigrams.

    Attributes:
        values: The distinct values, ascending.
        vectors: Their embeddings; shape (values, dimensions).
        trigrams: Their trigram index.
        embedder: The embedder of the vectors.
    """

    values: Sequence[str]
    vectors: "NDArray[np.float32]"
    trigrams: Trigrams
    embedder: Embedder

    @classmethod
    def build(cls, values: list[str], embedder: Embedder) -> Self:
        """Build the index of the values."""
        return cls(values, _embed(values, embedder), Trigrams.build(values), embedder)

    def search(
        self, query: str, k: int = 100, floor: float = FLOOR, also: Sequence[str] = ()
    ) -> list[Match]:
        """The values most similar to the query, best first.

        The score combines semantic similarity m (cosine) and lexical similarity w as
        1 - (1 - m)(1 - w), so either suffices. The floor is on this scale and specific to this
        project; the published tool uses 0.8 on another embedder's scale (Lee et al. 2025, A.2).

        Args:
            query: The text to search for.
            k: Maximum number of values.
            floor: Minimum score.
            also: Synonyms of the query, with the same weight.
        """
        import numpy as np

        if not self.values or k < 1:
            return []
        names = dict.fromkeys((_encodable(name) for name in (query, *also)), 1.0)
        names = dict.fromkeys(other_names(_encodable(query)), _ALIAS_WEIGHT) | names
        vectors = _embed(list(names), self.embedder)
        indexes = self._candidates(list(names), vectors.mean(axis=0), 2 * k)
        candidates = [self.values[index] for index in indexes]
        semantic = np.clip(self.vectors[indexes] @ vectors.T, 0, 1)
        lexical = lexical_scores(list(names), candidates)
        scores = (1 - (1 - semantic) * (1 - lexical)) * np.array(list(names.values()))
        return _ranked(candidates, scores.max(axis=1), floor)[:k]

    def _candidates(
        self, names: list[str], vector: "NDArray[np.float32]", count: int
    ) -> "NDArray[np.intp]":
        """Ascending indexes of the most similar values by embedding and by trigrams."""
        import numpy as np

        indexes = [_highest(self.vectors @ vector, count)]
        for name in names:
            indexes.append(_highest(self.trigrams.overlap(name, len(self.values)), count))
        return np.unique(np.concatenate(indexes))


def _ranked(values: list[str], scores: "NDArray[np.float64]", floor: float) -> list[Match]:
    """Matches by score, ties in the order of the values.

    Scores are rounded first, so that floating-point noise does not affect the order.
    """
    matches = [
        Match(value, round(float(score), 4)) for value, score in zip(values, scores, strict=True)
    ]
    above_floor = [match for match in matches if match.score >= max(floor, 1e-4)]
    return sorted(above_floor, key=lambda match: -match.score)


def _embed(texts: list[str], embedder: Embedder) -> "NDArray[np.float32]":
    return embedder.encode([comparable(text) for text in texts])


def _encodable(text: str) -> str:
    """The text without lone surrogates, which JSON may contain but UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


def _highest(scores: "NDArray[np.float32]", count: int) -> "NDArray[np.intp]":
    """Indexes of the highest positive scores."""
    import numpy as np

    indexes = np.flatnonzero(scores > 0)
    if count >= len(indexes):
        return indexes
    return indexes[np.argpartition(scores[indexes], -count)[-count:]]
