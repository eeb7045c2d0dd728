"""Linear classifiers of short texts over weighted features and an embedding.

The features of a text, such as runs of letters or pairs of words, are its maker's. They are scaled
to unit length and stand beside the embedding of its words, so that words never seen before count.
Small sets of examples are fitted by ridge regression when a classifier is first used, large ones by
softmax regression beforehand, with the weights in a file.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from wardround.ehr.terms.chinese import plain
from wardround.people.similarity import text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]

Label = TypeVar("Label", bound=str)
DIMENSIONS = 256  # of an embedding
_LENGTHS = (1, 2, 3, 4)  # letters of a run


class Sample(NamedTuple):
    """A text: its features with their weights, and the words that are embedded."""

    features: Mapping[str, float]
    text: str


class Scale(NamedTuple):
    """The weights of the features, of the embedding and of the bias beside each other."""

    features: float
    embedding: float
    bias: float = 0.0


@dataclass(frozen=True, eq=False)
class TextClassifier(Generic[Label]):
    """A linear classifier.

    Attributes:
        labels: the names of the classes.
        index: position of each feature.
        weights: weights of features, embedding and bias; shape (features + 257, classes).
        scale: how samples were scaled when the weights were learned.
    """

    labels: tuple[Label, ...]
    index: Mapping[str, int]
    weights: "Matrix"
    scale: Scale

    def scores(self, sample: Sample) -> dict[Label, float]:
        """The score of each class; after a ridge regression about 1 for the right ones."""
        return dict(zip(self.labels, self._scores(sample).tolist(), strict=True))

    def probabilities(self, sample: Sample) -> dict[Label, float]:
        """The probability of each class, after a softmax regression."""
        return dict(zip(self.labels, softmax(self._scores(sample)).tolist(), strict=True))

    def _scores(self, sample: Sample) -> "Matrix":
        columns, values = _scaled_features(sample, self.index, self.scale)
        embedding = self.scale.embedding * text_vector(sample.text)
        scores: Matrix = (
            values @ self.weights[columns]
            + embedding @ self.weights[-DIMENSIONS - 1 : -1]
            + self.scale.bias * self.weights[-1]
        )
        return scores


def fit_ridge(
    samples: Sequence[Sample],
    classes: Sequence[Collection[str]],
    labels: tuple[Label, ...],
    scale: Scale,
    penalty: float,
) -> TextClassifier[Label]:
    """Fits a classifier to samples and their classes by ridge regression."""
    import numpy as np

    index = feature_index(samples, least=1)
    rows = rows_of(samples, index, scale)
    goal = membership(classes, labels)
    by_sample = np.linalg.solve(rows @ rows.T + penalty * np.eye(len(rows)), goal)
    return TextClassifier(labels, index, rows.T @ by_sample, scale)


def rows_of(samples: Sequence[Sample], index: Mapping[str, int], scale: Scale) -> "Matrix":
    """A row for each sample; shape (samples, features + 257)."""
    import numpy as np

    rows = np.zeros((len(samples), len(index) + DIMENSIONS + 1))
    for at, sample in enumerate(samples):
        columns, values = _scaled_features(sample, index, scale)
        rows[at, columns] = values
        rows[at, -DIMENSIONS - 1 : -1] = scale.embedding * text_vector(sample.text)
    rows[:, -1] = scale.bias
    return rows


def _scaled_features(
    sample: Sample, index: Mapping[str, int], scale: Scale
) -> tuple[list[int], "Matrix"]:
    """The columns of a sample's known features, and their values."""
    import numpy as np

    weights = {index[name]: weight for name, weight in sample.features.items() if name in index}
    values = np.fromiter(weights.values(), float, len(weights))
    return [*weights], values * (scale.features / max(float(np.linalg.norm(values)), 1e-6))


def softmax(scores: "Matrix") -> "Matrix":
    """Probabilities along the last axis."""
    import numpy as np

    exponents = np.exp(scores - scores.max(-1, keepdims=True))
    probabilities: Matrix = exponents / exponents.sum(-1, keepdims=True)
    return probabilities


def letter_runs(text: str, signs: str) -> Counter[str]:
    """The runs of one to four letters of a text, word by word, without signs at its ends.

    >>> sorted(letter_runs("Na?", "?"))
    [' n', ' na', ' na ', 'a ', 'na', 'na ']
    """
    words = [f" {word} " for word in plain(text).strip(signs).split()]
    return Counter(run for word in words for run in _runs(word))


def _runs(word: str) -> Iterator[str]:
    """The runs of a word; a single letter counts in Chinese only."""
    for length in _LENGTHS:
        for start in range(len(word) - length + 1):
            if length > 1 or not word[start].isascii():
                yield word[start : start + length]


def feature_index(samples: Sequence[Sample], least: int) -> dict[str, int]:
    """The column of each feature that at least so many samples have."""
    counts = Counter(name for sample in samples for name in sample.features)
    frequent = sorted(name for name, count in counts.items() if count >= least)
    return {name: column for column, name in enumerate(frequent)}


def membership(classes: Sequence[Collection[str]], labels: Sequence[str]) -> "Matrix":
    """1 where a sample may be of a class, 0 elsewhere; shape (samples, classes)."""
    import numpy as np

    return np.array([[float(label in item_labels) for label in labels] for item_labels in classes])
