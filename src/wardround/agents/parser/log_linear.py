"""A log-linear model over kinds that are described by attributes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Counts = NDArray[np.int64]

_BATCH = 128
_STEP = 0.6
_EPOCHS = 3

# Kinds lie in no more directions; the rest tells hardly any of them apart.
_DIRECTIONS = 160

# Features of fewer questions are left out.
_RARE = 2


@dataclass(frozen=True)
class Model:
    """How likely each kind is for a question with some features.

    Attributes:
        vocabulary: The number of each feature.
        weights: What each feature says of each direction, with a row of zeros at its end.
        kinds: Each kind as a point among the directions.
    """

    vocabulary: dict[str, int]
    weights: Floats
    kinds: Floats

    def log_likelihoods(self, features: Sequence[str]) -> Floats:
        """The logarithm of each kind's probability."""
        known = [self.vocabulary[feature] for feature in features if feature in self.vocabulary]
        scores = self.kinds @ (self.weights[known].sum(axis=0) / _scale(len(features)))
        logs: Floats = _log_softmax(scores[None, :])[0]
        return logs

    def known_share(self, features: Sequence[str]) -> float:
        """Which share of the features any training question had."""
        return sum(feature in self.vocabulary for feature in features) / max(len(features), 1)


def fit(
    questions: Sequence[Sequence[str]],
    kinds: Sequence[int],
    attributes: Sequence[Sequence[str]],
    weights: Sequence[float],
    own: float,
) -> Model:
    """A model of the kinds of questions.

    Args:
        questions: The features of each question.
        kinds: The kind of each.
        attributes: The attributes of each kind.
        weights: How much each question counts.
        own: How far kinds are apart beside what their attributes say.
    """
    vocabulary = _vocabulary(questions)
    points = _points(attributes, own)
    known = [[vocabulary[one] for one in said if one in vocabulary] for said in questions]
    rows = [np.asarray(numbers or [len(vocabulary)]) for numbers in known]
    scales = np.asarray([_scale(len(said)) for said in questions], np.float32)[:, None]
    gold = np.asarray(kinds)
    counts = np.asarray(weights, np.float32)[:, None] / scales
    table = np.zeros((len(vocabulary) + 1, points.shape[1]), np.float32)
    squares = np.full_like(table, 1e-4)
    random = np.random.default_rng(0)
    for _ in range(_EPOCHS):
        order = random.permutation(len(gold))
        for start in range(0, len(gold), _BATCH):
            batch = order[start : start + _BATCH]
            those = [rows[at] for at in batch]
            hidden = _sums(table, those) / scales[batch]
            slope = _slope(hidden, points, gold[batch]) * counts[batch]
            _step(table, squares, those, slope @ points)
    table[-1] = 0
    return Model(vocabulary, table, points)


def _sums(table: Floats, rows: Sequence[Counts]) -> Floats:
    """For each question the sum of the table's rows that are its features'."""
    starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
    sums: Floats = np.add.reduceat(table[np.concatenate(rows)], starts, axis=0)
    return sums


def _slope(hidden: Floats, points: Floats, gold: Counts) -> Floats:
    """How far each kind's probability is from what it should be."""
    wrong: Floats = np.exp(_log_softmax(hidden @ points.T))
    wrong[np.arange(len(gold)), gold] -= 1
    return wrong


def _step(table: Floats, squares: Floats, rows: Sequence[Counts], slope: Floats) -> None:
    """One step of Adagrad on the rows that the questions' features have."""
    flat = np.concatenate(rows)
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    order = np.argsort(flat, kind="stable")
    found, starts = np.unique(flat[order], return_index=True)
    sums = np.add.reduceat(slope[owners[order]], starts, axis=0)
    squares[found] += sums**2
    table[found] -= _STEP * sums / np.sqrt(squares[found])


def _vocabulary(questions: Sequence[Sequence[str]]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for features in questions:
        for feature in features:
            counted[feature] = counted.get(feature, 0) + 1
    kept = sorted(feature for feature, count in counted.items() if count >= _RARE)
    return {feature: number for number, feature in enumerate(kept)}


def _scale(length: int) -> float:
    return float(np.sqrt(max(length, 1)))


def _points(attributes: Sequence[Sequence[str]], own: float) -> Floats:
    """The kinds as points that lie as their attributes do, in no more dimensions than kinds.

    An attribute of one kind alone tells no more of it than its own dimension does.
    """
    names = {name: at for at, name in enumerate(sorted({n for kind in attributes for n in kind}))}
    table = np.zeros((len(attributes), len(names)))
    for row, kind in zip(table, attributes, strict=True):
        row[[names[name] for name in kind]] = 1
    shared = table.sum(axis=0) > 1
    table = table[:, shared] * (np.log(len(attributes) / table[:, shared].sum(axis=0)) + 0.1)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    whole = np.hstack([2 * table, own * np.eye(len(attributes))])
    left, sizes, _ = np.linalg.svd(whole, full_matrices=False)
    points: Floats = (left * sizes)[:, :_DIRECTIONS].astype(np.float32)
    return points


def _log_softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=1, keepdims=True)
    logs: Floats = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return logs
