"""How sure an answer is: the chance that it is right, learnt from questions kept apart."""

from collections.abc import Sequence
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 30
_PRIOR = 10.0

# How wide the kernels are beside Silverman's, which would blur where answers begin to pay.
_NARROW = 0.5
_LEAST = 1e-6

Floats = NDArray[np.float64]


class Evidence(NamedTuple):
    """What is known of an answer before anybody has checked it.

    Attributes:
        score: How well the best query fits, as a logarithm.
        margin: How much better it fits than the best one that gives another answer.
        cost: What the query leaves out of what the question says.
        odds: The logarithm of the odds that records can answer the question.
        form, event, whole: How likely the kind of the best query is, as logarithms.
        unknown: The share of the question's features that no training question had.
        new_words: How many of its words no two training questions had.
        strangers: Long numbers of the question that the database does not have.
        empty: Whether the query finds nothing.
    """

    score: float
    margin: float
    cost: float
    odds: float
    form: float
    event: float
    whole: float
    unknown: float
    new_words: float
    strangers: float
    empty: float


# Where there is no query at all.
NOTHING = Evidence(-20.0, 0.0, 10.0, -10.0, -9.0, -9.0, -9.0, 1.0, 5.0, 0.0, 1.0)


class Calibration(NamedTuple):
    """A logistic regression of being right on the evidence, standardised.

    Attributes:
        center, spread: The mean and the deviation of each part of the evidence.
        weights: The weight of each, and that of 1 at the end.
    """

    center: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]

    def confidence(self, evidence: Evidence) -> float:
        """The chance that the answer is right."""
        parts = (np.asarray(_parts(evidence)) - self.center) / self.spread
        return float(1 / (1 + np.exp(-(parts @ self.weights[:-1] + self.weights[-1]))))


def calibrated(evidence: Sequence[Evidence], right: Sequence[bool]) -> Calibration:
    """The regression, by Newton's method, with a prior that all weights are small."""
    parts = np.asarray([_parts(one) for one in evidence])
    center, spread = parts.mean(axis=0), parts.std(axis=0) + 1e-6
    inputs = np.hstack([(parts - center) / spread, np.ones((len(parts), 1))])
    gold = np.asarray(right, float)
    weights: NDArray[np.float64] = np.zeros(inputs.shape[1])
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (chance - gold) + _PRIOR * weights
        bend = (inputs * (chance * (1 - chance))[:, None]).T @ inputs
        weights = weights - np.linalg.solve(bend + _PRIOR * np.eye(len(weights)), slope)
    return Calibration(tuple(center.tolist()), tuple(spread.tolist()), tuple(weights.tolist()))


def _parts(evidence: Evidence) -> tuple[float, ...]:
    """The evidence as numbers that the chance is about linear in."""
    likely = [min(one, 0.0) for one in (evidence.form, evidence.event, evidence.whole)]
    margin = min(max(evidence.margin, 0.0), 8.0)
    return (
        evidence.score,
        evidence.margin,
        min(evidence.margin, 3.0),
        min(evidence.margin, 1.0),
        sqrt(margin),
        evidence.cost,
        min(evidence.cost, 1.0),
        evidence.odds,
        min(evidence.odds, 3.0),
        min(evidence.odds, 0.0),
        evidence.unknown,
        evidence.new_words,
        min(evidence.new_words, 1.0),
        evidence.strangers,
        evidence.empty,
        *(-sqrt(-one) for one in likely),
        *(exp(one) for one in likely),
    )


PARTS = len(_parts(NOTHING))


def best_threshold(confidences: Sequence[float], right: Sequence[bool], penalty: float) -> float:
    """The least confidence at which to answer, for the most points to be expected.

    A right answer is a point, a wrong one takes `penalty`, a refusal nothing; refusing what
    cannot be answered is left aside, as it is a point that answering loses (EHRSQL, 4.2). The
    points that a confidence earns are those of all answers about as sure: a threshold that is
    laid between single answers would be that of chance.
    """
    order = np.argsort(confidences)[::-1]
    chances = _smoothed(np.asarray(confidences)[order], np.asarray(right, float)[order])
    points = np.cumsum(chances - (1 - chances) * penalty)
    best = int(np.argmax(points))
    return float(confidences[order[best]]) if points[best] > 0 else 1.0


def _smoothed(confidences: Floats, right: Floats) -> Floats:
    """The share of right answers around each, in normal kernels over the logarithm of the odds."""
    sure = confidences.clip(_LEAST, 1 - _LEAST)
    odds = np.log(sure / (1 - sure))
    width = _NARROW * max(float(odds.std()), _LEAST) * len(odds) ** -0.2
    near = np.exp(-(((odds[:, None] - odds) / width) ** 2) / 2)
    shares: Floats = near @ right / near.sum(axis=1)
    return shares
