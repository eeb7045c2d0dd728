"""A log-linear classifier whose classes are described by attributes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Counts = NDArray[np.int64]

_BATCH = 128
_LEARNING_RATE = 0.6
_EPOCHS = 3

# SVD rank.
_RANK = 160

# Features of fewer questions are left out.
_MIN_QUESTIONS = 2


@dataclass(frozen=True)
class LogLinearModel:
    """Class probabilities given features.

    Attributes:
        vocabulary: The row of each feature.
        weights: An embedding of each feature, and a last row of zeros for questions without any.
        classes: An embedding of each class.
    """

    vocabulary: Mapping[str, int]
    weights: Floats
    classes: Floats

    def log_probabilities(self, features: Sequence[str]) -> Floats:
        """The log probability of each class."""
        rows = [self.vocabulary[feature] for feature in features if feature in self.vocabulary]
        scores = self.classes @ (self.weights[rows].sum(axis=0) / _scale(len(features)))
        logs: Floats = _log_softmax(scores[None, :])[0]
        return logs

    def known_share(self, features: Sequence[str]) -> float:
        """The share of the features that training questions had."""
        return sum(feature in self.vocabulary for feature in features) / max(len(features), 1)


def fit(
    questions: Sequence[Sequence[str]],
    classes: Sequence[int],
    attributes: Sequence[Sequence[str]],
    weights: Sequence[float],
    prior_variance: float,
) -> LogLinearModel:
    """Fit a model by Adagrad.

    Args:
        questions: The features of each question.
        classes: The class of each question.
        attributes: The attributes of each class.
        weights: The weight of each question.
        prior_variance: Of class-specific weights, beside those of the attributes.
    """
    vocabulary = _vocabulary(questions)
    embeddings = _embeddings(tuple(map(tuple, attributes)), prior_variance)
    known = [
        [vocabulary[item] for item in question if item in vocabulary] for question in questions
    ]
    rows = [np.asarray(numbers or [len(vocabulary)]) for numbers in known]
    scales = np.asarray([_scale(len(question)) for question in questions], np.float32)[:, None]
    gold = np.asarray(classes)
    step_sizes = np.asarray(weights, np.float32)[:, None] / scales
    table = np.zeros((len(vocabulary) + 1, embeddings.shape[1]), np.float32)
    squares = np.full_like(table, 1e-4)
    random = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        order = random.permutation(len(gold))
        for start in range(0, len(gold), _BATCH):
            batch = order[start : start + _BATCH]
            batch_rows = [rows[at] for at in batch]
            hidden = _row_sums(table, batch_rows) / scales[batch]
            gradient = _gradient(hidden, embeddings, gold[batch]) * step_sizes[batch]
            _adagrad_step(table, squares, batch_rows, gradient @ embeddings)
    table[-1] = 0
    return LogLinearModel(vocabulary, table, embeddings)


def _row_sums(table: Floats, rows: Sequence[Counts]) -> Floats:
    """For each question the sum of its features' embeddings."""
    starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
    sums: Floats = np.add.reduceat(table[np.concatenate(rows)], starts, axis=0)
    return sums


def _gradient(hidden: Floats, embeddings: Floats, gold: Counts) -> Floats:
    """The gradient of the loss with respect to the class scores."""
    gradient: Floats = np.exp(_log_softmax(hidden @ embeddings.T))
    gradient[np.arange(len(gold)), gold] -= 1
    return gradient


def _adagrad_step(table: Floats, squares: Floats, rows: Sequence[Counts], gradient: Floats) -> None:
    flat = np.concatenate(rows)
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    order = np.argsort(flat, kind="stable")
    columns, starts = np.unique(flat[order], return_index=True)
    sums = np.add.reduceat(gradient[owners[order]], starts, axis=0)
    squares[columns] += sums**2
    table[columns] -= _LEARNING_RATE * sums / np.sqrt(squares[columns])


def _vocabulary(questions: Sequence[Sequence[str]]) -> dict[str, int]:
    counts = Counter(feature for features in questions for feature in features)
    frequent = sorted(feature for feature, count in counts.items() if count >= _MIN_QUESTIONS)
    return {feature: row for row, feature in enumerate(frequent)}


def _scale(length: int) -> float:
    return float(np.sqrt(max(length, 1)))


@lru_cache(maxsize=8)
def _embeddings(attributes: tuple[tuple[str, ...], ...], prior_variance: float) -> Floats:
    """Embeddings of the classes by their attributes, reduced by SVD; the same in all folds.

    Attributes of a single class are left out, because they say no more than the class itself.
    """
    names = {
        name: at
        for at, name in enumerate(sorted({n for attribute in attributes for n in attribute}))
    }
    table = np.zeros((len(attributes), len(names)))
    for row, numbers in zip(table, attributes, strict=True):
        row[[names[name] for name in numbers]] = 1
    shared = table.sum(axis=0) > 1
    table = table[:, shared] * (np.log(len(attributes) / table[:, shared].sum(axis=0)) + 0.1)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    whole = np.hstack([2 * table, prior_variance * np.eye(len(attributes))])
    left, sizes, _ = np.linalg.svd(whole, full_matrices=False)
    embeddings: Floats = (left * sizes)[:, :_RANK].astype(np.float32)
    return embeddings


def _log_softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=1, keepdims=True)
    logs: Floats = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return logs
