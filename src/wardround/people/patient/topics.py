"""The topic of a question to a patient, by a small classifier learned from labelled questions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import plain
from wardround.people.clarifying.similarity import text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]

Topic: TypeAlias = Literal[
    "onset", "provocation", "quality", "radiation", "severity", "timing", "complaint",
    "medications", "diagnoses", "social", "function", "other", "more",
]  # fmt: skip
TOPICS: tuple[Topic, ...] = get_args(Topic)
SLOTS: tuple[Topic, ...] = TOPICS[:6]
# The topics that a tool may be asked about; the first is meant by a call without a question.
TOOL_TOPICS: Mapping[str, tuple[Topic, ...]] = {
    "patient.get_symptom_history": ("complaint", *SLOTS, *TOPICS[7:12]),
    "patient.get_pain_assessment": ("severity", *SLOTS, "complaint", "medications", "other"),
    "patient.get_medication_adherence": ("medications", "diagnoses", "social", "other"),
    "patient.get_social_history": ("social", "function", "medications", "diagnoses", "other"),
    "patient.get_functional_status": ("function", "social", "medications", "other"),
}
_LENGTHS = (1, 2, 3, 4)  # characters of a feature
_RIDGE = 0.3
_EMBEDDING = 0.2  # weight of the embedding beside the letters


@dataclass(frozen=True, eq=False)
class TopicClassifier:
    """A kernel ridge classifier over letter n-grams and the embedding of a question.

    Attributes:
        index: position of each feature.
        examples: the features of the labelled questions, of unit length.
        weights: weights of the examples by topic.
    """

    index: Mapping[str, int]
    examples: "Matrix"
    weights: "Matrix"

    def scores(self, question: str) -> dict[Topic, float]:
        """The score of each topic, about 1 for the right one."""
        row = _features([question], self.index)[0]
        return dict(zip(TOPICS, (self.examples @ row @ self.weights).tolist(), strict=True))


def topic(tool: str, question: str, *, going_on: bool = False) -> Topic:
    """The topic that a call of a patient tool asks about.

    Args:
        tool: the tool.
        question: the question; a call may have none.
        going_on: the patient has not told all of a list, and may be asked to go on.

    >>> topic("patient.get_symptom_history", "When did it start?")
    'onset'
    """
    allowed = TOOL_TOPICS[tool]
    if not question.strip():
        return "more" if going_on else allowed[0]
    if going_on:
        allowed = (*allowed, "more")
    scores = _scores(question)
    return max(allowed, key=lambda name: scores[name])


@lru_cache(maxsize=1024)
def _scores(question: str) -> dict[Topic, float]:
    return _classifier().scores(question)


@cache
def _classifier() -> TopicClassifier:
    rows = list(read_rows(__package__, "questions.tsv"))
    return fitted([question for _, question in rows], [name for name, _ in rows])


def fitted(questions: Sequence[str], topics: Sequence[str]) -> TopicClassifier:
    """A classifier learned from questions and their topics."""
    import numpy as np

    names = sorted({gram for question in questions for gram in _grams(question)})
    index = {name: place for place, name in enumerate(names)}
    rows = _features(questions, index)
    goal = np.array([[float(name == topic) for topic in TOPICS] for name in topics])
    weights = np.linalg.solve(rows @ rows.T + _RIDGE * np.eye(len(rows)), goal)
    return TopicClassifier(index, rows, weights)


def _features(questions: Sequence[str], index: Mapping[str, int]) -> "Matrix":
    import numpy as np

    rows = np.zeros((len(questions), len(index)))
    for row, question in zip(rows, questions, strict=True):
        for gram, count in _grams(question).items():
            if gram in index:
                row[index[gram]] = count**0.5
        row /= max(float(np.linalg.norm(row)), 1e-9)
    vectors = np.array([text_vector(plain(question)) for question in questions])
    return np.hstack([(1 - _EMBEDDING) ** 0.5 * rows, _EMBEDDING**0.5 * vectors])


def _grams(question: str) -> Counter[str]:
    """The letters of a question in runs, word by word; of whole words their beginnings count."""
    words = [f" {word} " for word in plain(question).strip("?？.。").split()]
    return Counter(
        word[start : start + length]
        for word in words
        for length in _LENGTHS
        for start in range(len(word) - length + 1)
        if length > 1 or not word[start].isascii()
    )
