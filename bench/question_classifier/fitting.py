"""Fits linear models by gradient descent: a classifier of wordings, a ranking of candidates."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float32]


def fit_classes(rows: Matrix, allowed: Matrix, penalty: float, steps: int = 100) -> Matrix:
    """Fits softmax regression where each row may belong to several classes.

    Args:
        rows: Features, shape (rows, features).
        allowed: 1 for the classes that fit a row; shape (rows, classes).
        penalty: L2 penalty.
        steps: Gradient steps.

    Returns:
        Weights, shape (features, classes).
    """

    def gradient(weights: Matrix) -> Matrix:
        shares = softmax(rows @ weights)
        target = shares * allowed
        target /= np.maximum(target.sum(1, keepdims=True), 1e-9)
        slope: Matrix = rows.T @ (shares - target) + penalty * weights
        return slope

    return _descend(gradient, np.zeros((rows.shape[1], allowed.shape[1]), np.float32), 0.12, steps)


def fit_ranking(
    cases: Sequence[tuple[Matrix, Matrix, Matrix, float]], penalty: float, steps: int = 400
) -> tuple[Matrix, Matrix]:
    """Fits linear scores of candidates and of refusal, so that right ones score highest.

    Args:
        cases: For each question the features of candidates, shape (candidates, features), the
            features of refusal, 1 for right candidates and last for refusal, and its weight.
        penalty: L2 penalty per question, on standardized features.
        steps: Gradient steps.

    Returns:
        The weights of candidates and of refusal, for unstandardized features.
    """
    middle, scale = _moments(np.concatenate([rows for rows, *_ in cases]))
    center, spread = _moments(np.stack([refusal for _, refusal, *_ in cases]))
    center[-1], spread[-1] = 0, 1  # the bias
    scaled = [
        ((rows - middle) / scale, (refusal - center) / spread, right, weight)
        for rows, refusal, right, weight in cases
    ]
    width = len(middle)

    def gradient(weights: Matrix) -> Matrix:
        slope = penalty * len(cases) * weights
        for rows, refusal, right, weight in scaled:
            shares = softmax(np.append(rows @ weights[:width], refusal @ weights[width:]))
            target = shares * right
            error = weight * (shares - target / max(float(target.sum()), 1e-9))
            slope[:width] += rows.T @ error[:-1]
            slope[width:] += refusal * error[-1]
        return slope

    weights = _descend(gradient, np.zeros(width + len(center), np.float32), 0.05, steps)
    own, refusing = weights[:width] / scale, weights[width:] / spread
    refusing[-1] += own @ middle - refusing[:-1] @ center[:-1]
    return own, refusing


def softmax(scores: Matrix) -> Matrix:
    """Returns probabilities along the last axis."""
    exponents = np.exp(scores - scores.max(-1, keepdims=True))
    probabilities: Matrix = exponents / exponents.sum(-1, keepdims=True)
    return probabilities


def _moments(rows: Matrix) -> tuple[Matrix, Matrix]:
    return rows.mean(0), rows.std(0) + 1e-6


def _descend(
    gradient: Callable[[Matrix], Matrix], weights: Matrix, rate: float, steps: int
) -> Matrix:
    """Adam with a rate that falls to zero."""
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        corrected = np.sqrt(square / (1 - 0.99**step)) + 1e-8
        falling = rate * (1 - step / (steps + 1))
        weights = weights - falling * (mean / (1 - 0.9**step)) / corrected
    return weights
