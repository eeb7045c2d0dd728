"""How sure an answer is: the chance that it is right, learnt from questions kept apart."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 30
_PRIOR = 10.0


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
    likely = (evidence.form, evidence.event, evidence.whole)
    return (
        evidence.score,
        evidence.margin,
        min(evidence.margin, 3.0),
        evidence.cost,
        evidence.odds,
        min(evidence.odds, 0.0),
        evidence.unknown,
        evidence.new_words,
        min(evidence.new_words, 1.0),
        evidence.strangers,
        evidence.empty,
        *(-sqrt(-min(one, 0.0)) for one in likely),
    )


PARTS = len(_parts(NOTHING))


def best_threshold(confidences: Sequence[float], right: Sequence[bool], penalty: float) -> float:
    """The least confidence at which to answer, for the most points.

    A right answer is a point, a wrong one takes `penalty`, a refusal nothing; refusing what
    cannot be answered is left aside, as it is a point that answering loses (EHRSQL, 4.2).
    """
    order = np.argsort(confidences)[::-1]
    points = np.cumsum([1.0 if right[at] else -penalty for at in order])
    best = int(np.argmax(points))
    if points[best] <= 0:
        return 1.0
    return float(confidences[order[best]])
