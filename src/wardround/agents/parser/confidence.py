"""Calibrates the confidence of an answer on held-out questions, and finds the threshold."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_NEWTON_STEPS = 30
_PRIOR_PRECISION = 3.0

# Kernel bandwidth as a fraction of Silverman's rule, which oversmooths near the threshold.
_BANDWIDTH = 0.5
_EPSILON = 1e-6

Floats = NDArray[np.float64]


class Evidence(NamedTuple):
    """Features of an answer that are known before it is checked.

    Attributes:
        score: The score of the best query, in nats.
        form, event, whole: The log probabilities of its form, of its event and of both as one.
        margin: Its lead over the best query with another answer.
        cost: The penalty for names, numbers and times that the query leaves out, and for times that
            the question lacks, in nats.
        answerable: The log odds that records can answer the question.
        unexplained: How many words of the question no part of the query explains.
        unused_numbers: How many of them are numbers.
        unused_operators: How many of them are words of operations, such as "maximum".
        unknown_share: The share of the question's features that are new to the classifiers.
        unknown_words: How many of its words are new to them.
        unknown_ids: How many long numbers the database does not have.
        is_empty: 1 if the query returns nothing.
    """

    score: float
    form: float
    event: float
    whole: float
    margin: float
    cost: float
    answerable: float
    unexplained: float
    unused_numbers: float
    unused_operators: float
    unknown_share: float
    unknown_words: float
    unknown_ids: float
    is_empty: float


NO_QUERY = Evidence(
    score=-20.0,
    form=-10.0,
    event=-10.0,
    whole=-10.0,
    margin=0.0,
    cost=10.0,
    answerable=-10.0,
    unexplained=5.0,
    unused_numbers=0.0,
    unused_operators=0.0,
    unknown_share=1.0,
    unknown_words=5.0,
    unknown_ids=0.0,
    is_empty=1.0,
)


class Calibration(NamedTuple):
    """A logistic regression of correctness on standardized evidence.

    Attributes:
        means, deviations: Of each input.
        weights: One for each input, and the intercept last.
    """

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]

    def confidence(self, evidence: Evidence) -> float:
        """The probability that the answer is right."""
        inputs = (np.asarray(_inputs(evidence)) - self.means) / self.deviations
        return float(1 / (1 + np.exp(-(inputs @ self.weights[:-1] + self.weights[-1]))))


def fit_calibration(evidence: Sequence[Evidence], correct: Sequence[bool]) -> Calibration:
    """Fit the regression by Newton's method, with a Gaussian prior on the weights."""
    raw = np.asarray([_inputs(item) for item in evidence])
    means, deviations = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    inputs = np.hstack([(raw - means) / deviations, np.ones((len(raw), 1))])
    gold = np.asarray(correct, float)
    weights: NDArray[np.float64] = np.zeros(inputs.shape[1])
    for _ in range(_NEWTON_STEPS):
        predicted = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (predicted - gold) + _PRIOR_PRECISION * weights
        hessian = (inputs * (predicted * (1 - predicted))[:, None]).T @ inputs
        hessian += _PRIOR_PRECISION * np.eye(len(weights))
        weights = weights - np.linalg.solve(hessian, gradient)
    return Calibration(tuple(means.tolist()), tuple(deviations.tolist()), tuple(weights.tolist()))


def _inputs(evidence: Evidence) -> tuple[float, ...]:
    """Transform the evidence so that the log odds are about linear in it."""
    margin = min(max(evidence.margin, 0.0), 8.0)
    # Evidence weighs differently where each word is explained.
    is_explained = float(evidence.unexplained == 0)
    return (
        evidence.score,
        evidence.form,
        evidence.event,
        evidence.whole,
        evidence.margin,
        min(evidence.margin, 3.0),
        min(evidence.margin, 1.0),
        sqrt(margin),
        evidence.cost,
        min(evidence.cost, 1.0),
        evidence.answerable,
        min(evidence.answerable, 3.0),
        min(evidence.answerable, 0.0),
        evidence.unknown_share,
        evidence.unknown_words,
        min(evidence.unknown_words, 1.0),
        evidence.unknown_ids,
        evidence.is_empty,
        evidence.unexplained,
        min(evidence.unexplained, 1.0),
        min(evidence.unexplained, 2.0),
        sqrt(evidence.unexplained),
        min(evidence.unused_numbers, 1.0),
        min(evidence.unused_operators, 1.0),
        is_explained * min(evidence.margin, 3.0),
        is_explained * min(evidence.margin, 1.0),
        is_explained * evidence.cost,
        is_explained * min(evidence.answerable, 3.0),
        is_explained * min(evidence.answerable, 0.0),
        is_explained * evidence.unknown_words,
        is_explained * evidence.is_empty,
    )


INPUTS = len(_inputs(NO_QUERY))


class Outcome(NamedTuple):
    """The outcome of an answer.

    Attributes:
        confidence: The confidence that it was given with.
        is_correct: Whether it was right.
        is_answerable: Whether the question has an answer.
    """

    confidence: float
    is_correct: bool
    is_answerable: bool

    def gain(self, penalty: float) -> float:
        """The gain of answering over refusing (Lee et al. 2024).

        A right answer scores 1, a wrong one -`penalty`; refusing scores 1 where there is no
        answer, and otherwise 0.
        """
        if self.is_correct:
            return 1.0
        return -penalty if self.is_answerable else -penalty - 1.0


def best_threshold(outcomes: Sequence[Outcome], penalty: float) -> float:
    """The least confidence to answer with, for the highest expected score.

    Gains are smoothed over confidences, because a threshold between two single answers would be
    due to chance.
    """
    ordered = sorted(outcomes, key=lambda outcome: -outcome.confidence)
    confidences = np.asarray([outcome.confidence for outcome in ordered])
    gains = np.asarray([outcome.gain(penalty) for outcome in ordered])
    scores = np.cumsum(_smoothed(confidences, gains))
    best = int(np.argmax(scores))
    return float(confidences[best]) if scores[best] > 0 else 1.0


def _smoothed(confidences: Floats, gains: Floats) -> Floats:
    """The mean gain around each log odds, by Gaussian kernels."""
    clipped = confidences.clip(_EPSILON, 1 - _EPSILON)
    log_odds = np.log(clipped / (1 - clipped))
    bandwidth = _BANDWIDTH * max(float(log_odds.std()), _EPSILON) * len(log_odds) ** -0.2
    kernels = np.exp(-(((log_odds[:, None] - log_odds) / bandwidth) ** 2) / 2)
    means: Floats = kernels @ gains / kernels.sum(axis=1)
    return means
