"""The distinct values of one column, made ready for finding those like a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from wardround.ehr.values.embedders import Embedder
from wardround.ehr.values.lexical import lexical_scores
from wardround.ehr.values.names import other_names
from wardround.ehr.values.normal_form import comparable
from wardround.ehr.values.trigrams import Trigrams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Calibrated on diagnosis, drug, lab and item names: of queries that name nothing in a column,
# few values come above it; of those that do, what was meant does.
FLOOR = 0.55
# What is found under another name comes after what is found as equally like under its own.
_OTHER_NAME = 0.97


@dataclass(frozen=True)
class Match:
    """A value that was found.

    Attributes:
        value: The value as it is in the database.
        score: How like the query it is, 0 to 1.
    """

    value: str
    score: float


@dataclass(frozen=True)
class SimilarityIndex:
    """The values of a column with their vectors and pieces.

    Attributes:
        values: The distinct values, ascending.
        vectors: Their vectors; shape (values, dimensions).
        trigrams: Their three-letter pieces.
        embedder: What made the vectors.
    """

    values: list[str]
    vectors: "NDArray[np.float32]"
    trigrams: Trigrams
    embedder: Embedder

    @classmethod
    def build(cls, values: list[str], embedder: Embedder) -> Self:
        """An index of the values."""
        return cls(values, _meanings(values, embedder), Trigrams.build(values), embedder)

    def search(
        self, query: str, k: int = 100, floor: float = FLOOR, also: Sequence[str] = ()
    ) -> list[Match]:
        """The values most like the query, best first.

        A value's score joins how alike it is in meaning (cosine, m) and in writing (w) as
        1 - (1 - m)(1 - w), so that either is enough. The floor is on this scale and is this
        project's own: the published tool (EHR-ChatQA, A.2) has 0.8 on another embedder's scale.

        Args:
            query: What is looked for.
            k: How many to return at most.
            floor: The score that a value must reach.
            also: Other names of what is looked for, as good as the query itself.
        """
        import numpy as np

        if not self.values or k < 1:
            return []
        names = dict.fromkeys((_encodable(name) for name in (query, *also)), 1.0)
        names = dict.fromkeys(other_names(_encodable(query)), _OTHER_NAME) | names
        vectors = _meanings(list(names), self.embedder)
        places = self._candidates(list(names), vectors.mean(axis=0), 2 * k)
        found = [self.values[place] for place in places]
        meaning = np.clip(self.vectors[places] @ vectors.T, 0, 1)
        writing = lexical_scores(list(names), found)
        scores = (1 - (1 - meaning) * (1 - writing)) * np.array(list(names.values()))
        return _ranked(found, scores.max(axis=1), floor)[:k]

    def _candidates(
        self, names: list[str], vector: "NDArray[np.float32]", count: int
    ) -> "NDArray[np.intp]":
        """The places of the likeliest values, in meaning and in pieces, ascending."""
        import numpy as np

        places = [_highest(self.vectors @ vector, count)]
        for name in names:
            places.append(_highest(self.trigrams.overlap(name, len(self.values)), count))
        return np.unique(np.concatenate(places))


def _ranked(found: list[str], scores: "NDArray[np.float64]", floor: float) -> list[Match]:
    """Best first; equals in the order of the values.

    Rounded before, so that the last bits of the arithmetic decide no order.
    """
    matches = [
        Match(value, round(float(score), 4)) for value, score in zip(found, scores, strict=True)
    ]
    kept = [match for match in matches if match.score >= max(floor, 1e-4)]
    return sorted(kept, key=lambda match: -match.score)


def _meanings(texts: list[str], embedder: Embedder) -> "NDArray[np.float32]":
    return embedder.encode([comparable(text) for text in texts])


def _encodable(text: str) -> str:
    """The text without lone surrogates, which a model's JSON may hold and UTF-8 may not."""
    return text.encode(errors="replace").decode()


def _highest(scores: "NDArray[np.float32]", count: int) -> "NDArray[np.intp]":
    """The places of the highest scores above 0."""
    import numpy as np

    places = np.flatnonzero(scores > 0)
    if count >= len(places):
        return places
    return places[np.argpartition(scores[places], -count)[-count:]]
