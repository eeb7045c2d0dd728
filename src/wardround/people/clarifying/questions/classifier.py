"""Classifies the wording of a question: the aspect it asks about, or a reason to refuse it.

The weights are learned from labelled lines by `tools/question_classifier/train.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log
from typing import Any

from wardround.people.clarifying.questions.features import Wording, features
from wardround.people.text_classifier import Sample, Scale, TextClassifier

UNCLEAR = "unclear"
REFUSE = "refuse "
SCALE = Scale(features=1, embedding=0.6, bias=1)


@dataclass(frozen=True, eq=False)
class QuestionClassifier:
    """A linear classifier of wordings.

    Attributes:
        classifier: Scores aspects, "refuse …" for each reason to refuse, and "unclear".
        rarity: Weight of each feature, the higher the rarer it is.
        frequencies: The number of training lines with a stem.
        lines: The number of training lines.
    """

    classifier: TextClassifier[str]
    rarity: Mapping[str, float]
    frequencies: Mapping[str, int]
    lines: int

    def probabilities(self, question: Wording) -> dict[str, float]:
        """Returns the probability of each class."""
        return self.classifier.probabilities(sample(question, self.rarity))

    def surprise(self, stem: str) -> float:
        """Returns how little a stem is expected in a question, from 0."""
        return log((self.lines + 1) / (1 + self.frequencies.get(stem, 0)))


def sample(question: Wording, rarity: Mapping[str, float]) -> Sample:
    """The known features of a wording, and the words that are embedded."""
    rarities = {name: rarity[name] for name in features(question) if name in rarity}
    return Sample(rarities, question.rest)


@cache
def load_weights() -> dict[str, Any]:
    """Reads the packaged weights, those of the ranking of candidates included."""
    import numpy as np

    with (files(__package__) / "classifier.npz").open("rb") as file:
        return dict(np.load(file))


@lru_cache(maxsize=1)
def question_classifier() -> QuestionClassifier:
    """Loads the packaged classifier."""
    import numpy as np

    stored = load_weights()
    index = {feature: column for column, feature in enumerate(stored["features"].tolist())}
    weights = stored["weights"].astype(np.float64)
    return QuestionClassifier(
        TextClassifier(tuple(stored["classes"].tolist()), index, weights, SCALE),
        dict(zip(index, stored["rarity"].astype(np.float64).tolist(), strict=True)),
        dict(zip(stored["stems"].tolist(), stored["frequencies"].tolist(), strict=True)),
        int(stored["lines"]),
    )
