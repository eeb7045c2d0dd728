"""A kernel ridge classifier of short texts over letter n-grams and an embedding."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from wardround.ehr.terms.chinese import plain
from wardround.people.clarifying.similarity import text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

Label = TypeVar("Label", bound=str)
_LENGTHS = (1, 2, 3, 4)  # characters of a feature
_RIDGE = 0.3
_EMBEDDING = 0.2  # weight of the embedding beside the letters


@dataclass(frozen=True, eq=False)
class LetterClassifier(Generic[Label]):
    """A kernel ridge classifier over letter n-grams and the embedding of a text.

    Attributes:
        labels: the names of the classes.
        index: position of each feature.
        weights: weights of features by class.
    """

    labels: tuple[Label, ...]
    index: Mapping[str, int]
    weights: "Matrix"

    def scores(self, text: str) -> dict[Label, float]:
        """The score of each class, about 1 for the right one."""
        row = _features([text], self.index)[0]
        return dict(zip(self.labels, (row @ self.weights).tolist(), strict=True))


def fitted(
    texts: Sequence[str], classes: Sequence[str], labels: tuple[Label, ...]
) -> LetterClassifier[Label]:
    """A classifier learned from texts and their classes."""
    import numpy as np

    names = sorted({gram for text in texts for gram in _grams(text)})
    index = {name: place for place, name in enumerate(names)}
    rows = _features(texts, index)
    goal = np.array([[float(name == label) for label in labels] for name in classes])
    by_example = np.linalg.solve(rows @ rows.T + _RIDGE * np.eye(len(rows)), goal)
    return LetterClassifier(labels, index, rows.T @ by_example)


def _features(texts: Sequence[str], index: Mapping[str, int]) -> "Matrix":
    import numpy as np

    rows = np.zeros((len(texts), len(index)))
    for row, text in zip(rows, texts, strict=True):
        for gram, count in _grams(text).items():
            if gram in index:
                row[index[gram]] = count**0.5
        row /= max(float(np.linalg.norm(row)), 1e-9)
    vectors = np.array([text_vector(plain(text)) for text in texts])
    return np.hstack([(1 - _EMBEDDING) ** 0.5 * rows, _EMBEDDING**0.5 * vectors])


def _grams(text: str) -> Counter[str]:
    """The letters of a text in runs, word by word; of whole words their beginnings count."""
    words = [f" {word} " for word in plain(text).strip("?？.。").split()]
    return Counter(
        word[start : start + length]
        for word in words
        for length in _LENGTHS
        for start in range(len(word) - length + 1)
        if length > 1 or not word[start].isascii()
    )
