"""Classifies the wording of a question: the aspect it asks about, or a reason to refuse it.

The weights are learned from labelled lines by `bench/question_classifier/train.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log
from typing import TYPE_CHECKING, Any

from wardround.people.clarifying.question_features import Wording, features
from wardround.people.clarifying.similarity import text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNCLEAR = "unclear"
REFUSE = "refuse "
# Weight of the embedding beside that of the wording.
_EMBEDDING = 0.6


@dataclass(frozen=True, eq=False)
class QuestionClassifier:
    """A linear classifier of wordings.

    Attributes:
        classes: Aspects, "refuse …" for each reason to refuse, and "unclear".
        index: Position of each feature.
        rarity: Weight of each feature, the higher the rarer it is; shape (features,).
        weights: Weights of features, embedding and bias; shape (features + 257, classes).
        frequencies: The number of training lines with a stem.
        lines: The number of training lines.
    """

    classes: tuple[str, ...]
    index: Mapping[str, int]
    rarity: "NDArray[np.float32]"
    weights: "NDArray[np.float32]"
    frequencies: Mapping[str, int]
    lines: int

    def probabilities(self, question: Wording) -> dict[str, float]:
        """Returns the probability of each class."""
        import numpy as np

        (row,) = vectors([question], self.index, self.rarity)
        scores = row @ self.weights
        exponents = np.exp(scores - scores.max())
        return dict(zip(self.classes, (exponents / exponents.sum()).tolist(), strict=True))

    def surprise(self, stem: str) -> float:
        """Returns how little a stem is expected in a question, from 0."""
        return log((self.lines + 1) / (1 + self.frequencies.get(stem, 0)))


def vectors(
    questions: Sequence[Wording], index: Mapping[str, int], rarity: "NDArray[np.float32]"
) -> "NDArray[np.float32]":
    """Returns features of unit length, embedding and bias; shape (questions, features + 257)."""
    import numpy as np

    rows = np.zeros((len(questions), len(index) + 257), np.float32)
    for row, question in zip(rows, questions, strict=True):
        places = [index[feature] for feature in features(question) if feature in index]
        row[places] = rarity[places]
        row[: len(index)] /= max(float(np.linalg.norm(row[: len(index)])), 1e-6)
        row[len(index) : -1] = _EMBEDDING * text_vector(question.rest)
        row[-1] = 1
    return rows


@cache
def load_weights() -> dict[str, Any]:
    """Reads the packaged weights, those of the ranking of candidates included."""
    import numpy as np

    with (files(__package__) / "question_classifier.npz").open("rb") as file:
        return dict(np.load(file))


@lru_cache(maxsize=1)
def question_classifier() -> QuestionClassifier:
    """Loads the packaged classifier."""
    import numpy as np

    stored = load_weights()
    return QuestionClassifier(
        tuple(stored["classes"].tolist()),
        {feature: place for place, feature in enumerate(stored["features"].tolist())},
        stored["rarity"].astype(np.float32),
        stored["weights"].astype(np.float32),
        dict(zip(stored["stems"].tolist(), stored["frequencies"].tolist(), strict=True)),
        int(stored["lines"]),
    )
