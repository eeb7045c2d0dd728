"""Softmax regression of the classifiers whose weights are in files, by gradient descent."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from wardround.people.text_classifier import (
    Sample,
    Scale,
    TextClassifier,
    feature_index,
    membership,
    rows_of,
    softmax,
)

Matrix: TypeAlias = NDArray[np.float64]
Label = TypeVar("Label", bound=str)
_RATE = 0.12


def fit_softmax(
    samples: Sequence[Sample],
    classes: Sequence[Collection[str]],
    labels: tuple[Label, ...],
    scale: Scale,
    penalty: float,
    *,
    steps: int = 100,
    least: int = 1,
) -> TextClassifier[Label]:
    """Fits a classifier by softmax regression, where a sample may belong to several classes.

    Args:
        samples: the samples.
        classes: the classes that each may belong to.
        labels: all classes.
        scale: the weights of features, embedding and bias.
        penalty: L2 penalty.
        steps: gradient steps.
        least: features of fewer samples are left out.
    """
    index = feature_index(samples, least)
    rows, allowed = rows_of(samples, index, scale), membership(classes, labels)

    def gradient(weights: Matrix) -> Matrix:
        shares = softmax(rows @ weights)
        target = shares * allowed
        target /= np.maximum(target.sum(1, keepdims=True), 1e-9)
        slope: Matrix = rows.T @ (shares - target) + penalty * weights
        return slope

    start = np.zeros((rows.shape[1], len(labels)))
    return TextClassifier(labels, index, descend(gradient, start, _RATE, steps), scale)


def descend(
    gradient: Callable[[Matrix], Matrix], weights: Matrix, rate: float, steps: int
) -> Matrix:
    """Minimizes by Adam with a rate that falls to zero."""
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        corrected = np.sqrt(square / (1 - 0.99**step)) + 1e-8
        falling = rate * (1 - step / (steps + 1))
        weights = weights - falling * (mean / (1 - 0.9**step)) / corrected
    return weights
