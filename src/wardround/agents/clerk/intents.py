"""The intents of a question, by a small classifier learned from labelled questions."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.people.clarifying.similarity import text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]

Intent: TypeAlias = Literal[
    "identity", "stays", "diagnoses", "labs", "vitals", "cultures", "orders", "doses", "imaging",
    "notes", "plan", "symptoms", "adherence", "social", "function", "pain", "score", "advice",
    "summary", "medicate", "request", "flag", "other",
]  # fmt: skip
INTENTS: tuple[Intent, ...] = get_args(Intent)
WRITES: tuple[Intent, ...] = ("medicate", "request", "flag")
_LENGTHS = (1, 2, 3, 4)  # characters of a feature
_RIDGE = 0.4
_TOPIC = 8  # the count of a topic beside that of letters
_EMBEDDING = 0.3  # weight of the embedding beside the letters


@dataclass(frozen=True, eq=False)
class IntentClassifier:
    """A kernel ridge classifier over letter n-grams, words and the embedding of a question.

    Attributes:
        index: position of each feature.
        weights: weights of the features by intent.
    """

    index: Mapping[str, int]
    weights: "Matrix"

    def scores(self, question: str) -> dict[Intent, float]:
        """The score of each intent, about 1 for one that the question has."""
        row = _features([question], [_grams(question)], self.index)[0]
        return dict(zip(INTENTS, (row @ self.weights).tolist(), strict=True))


@lru_cache(maxsize=1024)
def intent_scores(masked: str) -> Mapping[Intent, float]:
    """The score of each intent of a question whose terms are masked by their kinds.

    >>> scores = intent_scores("when was DRUG last given")
    >>> max(scores, key=scores.__getitem__)
    'doses'
    """
    return _classifier().scores(masked)


@cache
def _classifier() -> IntentClassifier:
    rows = [row[:2] for row in read_rows(__package__, "questions.tsv")]
    return fitted([question for _, question in rows], [tuple(row[0].split(";")) for row in rows])


def fitted(questions: Sequence[str], intents: Sequence[tuple[str, ...]]) -> IntentClassifier:
    """A classifier learned from masked questions and their intents."""
    import numpy as np

    grams = [_grams(question) for question in questions]
    names = sorted({gram for each in grams for gram in each})
    index = {name: place for place, name in enumerate(names)}
    rows = _features(questions, grams, index)
    goal = np.array([[float(name in own) for name in INTENTS] for own in intents])
    examples = np.linalg.solve(rows @ rows.T + _RIDGE * np.eye(len(rows)), goal)
    return IntentClassifier(index, rows.T @ examples)


def _features(
    questions: Sequence[str], grams: Sequence[Counter[str]], index: Mapping[str, int]
) -> "Matrix":
    import numpy as np

    rows = np.zeros((len(questions), len(index)))
    for row, counts in zip(rows, grams, strict=True):
        for gram, count in counts.items():
            if gram in index:
                row[index[gram]] = count**0.5
        row /= max(float(np.linalg.norm(row)), 1e-9)
    vectors = np.array([text_vector(plain(question)) for question in questions])
    return np.hstack([(1 - _EMBEDDING) ** 0.5 * rows, _EMBEDDING**0.5 * vectors])


def _grams(question: str) -> Counter[str]:
    """The letters of a question in runs, word by word, and the topics that its words name."""
    words = [f" {word} " for word in plain(question).strip("?.。!").split()]
    topics = Counter({f"#{name}": _TOPIC for name in _topics(question)})
    return topics + Counter(
        word[start : start + length]
        for word in words
        for length in _LENGTHS
        for start in range(len(word) - length + 1)
        if length > 1 or not word[start].isascii()
    )


def _topics(question: str) -> list[str]:
    """The intents that words of a question speak for."""
    lower = plain(question)
    return [name for name, pattern in _topic_patterns().items() if pattern.search(lower)]


@cache
def _topic_patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(
            "|".join(
                [
                    rf"\b(?:{'|'.join(map(re.escape, split_cell(english)))})",
                    *map(re.escape, split_cell(chinese)),
                ]
            )
        )
        for name, english, chinese in read_rows(__package__, "topics.tsv")
    }
