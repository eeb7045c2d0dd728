"""Fits a ranking of candidates by gradient descent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tools.classifier_training import descend

Matrix: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question to learn a ranking from.

    Attributes:
        candidates: A row of features for each candidate.
        refusal: The features of refusal.
        right: 1 for each right candidate and, in the last place, refusal.
        weight: The question's weight.
    """

    candidates: Matrix
    refusal: Matrix
    right: Matrix
    weight: float


def fit_ranking(cases: Sequence[Case], penalty: float, steps: int = 400) -> tuple[Matrix, Matrix]:
    """Fits linear scores of candidates and of refusal, so that right ones score highest.

    Args:
        cases: The questions.
        penalty: L2 penalty per question, on standardized features.
        steps: Gradient steps.

    Returns:
        The weights of candidates and of refusal, for unstandardized features.
    """
    rows = np.concatenate([case.candidates for case in cases])
    refusals = np.stack([case.refusal for case in cases])
    middle, scale = _moments(rows)
    center, spread = _moments(refusals)
    center[-1], spread[-1] = 0, 1  # the bias
    scaled = (rows - middle) / scale
    scaled_refusals = (refusals - center) / spread
    error = _ranking_error(cases)
    width = len(middle)

    def gradient(weights: Matrix) -> Matrix:
        own, refusing = error(scaled @ weights[:width], scaled_refusals @ weights[width:])
        slope = np.concatenate([scaled.T @ own, scaled_refusals.T @ refusing])
        found: Matrix = slope + penalty * len(cases) * weights
        return found

    weights = descend(gradient, np.zeros(width + len(center)), 0.05, steps)
    own, refusing = weights[:width] / scale, weights[width:] / spread
    refusing[-1] += own @ middle - refusing[:-1] @ center[:-1]
    return own, refusing


def _ranking_error(
    cases: Sequence[Case],
) -> Callable[[Matrix, Matrix], tuple[Matrix, Matrix]]:
    """Returns the derivative of the loss by the scores of all candidates and of all refusals."""
    counts = [len(case.candidates) for case in cases]
    starts = np.cumsum([0, *counts[:-1]])
    right = np.concatenate([case.right[:-1] for case in cases])
    refused = np.array([case.right[-1] for case in cases])
    weight = np.array([case.weight for case in cases])

    def error(scores: Matrix, refusals: Matrix) -> tuple[Matrix, Matrix]:
        highest = np.maximum(np.maximum.reduceat(scores, starts), refusals)
        exponents = np.exp(scores - np.repeat(highest, counts))
        refusing = np.exp(refusals - highest)
        total = np.add.reduceat(exponents, starts) + refusing
        wanted, wants_refusal = exponents * right, refusing * refused
        reached = np.maximum(np.add.reduceat(wanted, starts) + wants_refusal, 1e-9)
        shares = exponents / np.repeat(total, counts) - wanted / np.repeat(reached, counts)
        return (
            np.repeat(weight, counts) * shares,
            weight * (refusing / total - wants_refusal / reached),
        )

    return error


def _moments(rows: Matrix) -> tuple[Matrix, Matrix]:
    return rows.mean(0), rows.std(0) + 1e-6
