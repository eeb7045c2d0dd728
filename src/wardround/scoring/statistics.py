"""Confidence intervals over tasks, and correlation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """The ends of a confidence interval."""

    low: float
    high: float


def bootstrap_means(
    rows: Sequence[Sequence[float]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> list[Interval | None]:
    """Percentile bootstrap intervals of the columns' means, rows (tasks) being drawn anew.

    Args:
        rows: shape (tasks, figures), a task's figures together, so that they are drawn together.
        seed: the same seed gives the same intervals.
        resamples: how often all tasks are drawn.
        level: the share of resampled means that lies in the interval.

    Returns:
        One interval a column; None where fewer than two tasks say nothing about spread.

    >>> bootstrap_means([[0.0], [1.0], [1.0], [0.0]])
    [Interval(low=0.0, high=1.0)]
    """
    if not rows:
        return []
    if len(rows) == 1:
        return [None] * len(rows[0])
    import numpy as np

    means = _draws(len(rows), resamples, seed) @ np.asarray(rows, dtype=float) / len(rows)
    return [percentile_interval(column, level=level) for column in means.T]


def resampled_sums(
    rows: Sequence[Sequence[float]], *, seed: int = 0, resamples: int = RESAMPLES
) -> "NDArray[np.float64]":
    """The columns' sums over rows (tasks) drawn anew: shape (resamples, figures).

    Figures that are no means, such as F1, are made of these sums. Rows that are alike are drawn
    as one kind, so it takes no longer for many rows of few kinds; their order does not matter.
    """
    import numpy as np

    kinds = sorted(Counter(map(tuple, rows)).items())
    chances = np.asarray([count for _, count in kinds]) / len(rows)
    draws = np.random.default_rng(seed).multinomial(len(rows), chances, size=resamples)
    sums: NDArray[np.float64] = draws @ np.asarray([kind for kind, _ in kinds], dtype=float)
    return sums


def percentile_interval(values: "NDArray[np.float64]", *, level: float = 0.95) -> Interval | None:
    """Between which ends the middle of the values lies; None where a value is not known."""
    import numpy as np

    if np.isnan(values).any():
        return None
    tail = 50 * (1 - level)
    low, high = np.percentile(values, [tail, 100 - tail])
    return Interval(float(low), float(high))


@lru_cache(maxsize=4)
def _draws(rows: int, resamples: int, seed: int) -> "NDArray[np.int64]":
    """How often each row is drawn in each resample: shape (resamples, rows)."""
    import numpy as np

    return np.random.default_rng(seed).multinomial(rows, [1 / rows] * rows, size=resamples)


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation (point-biserial where one side is 0 or 1); None without spread.

    Raises:
        ValueError: the two are not equally long.

    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} values cannot be paired with {len(ys)}")
    x_spread, y_spread = centred(xs), centred(ys)
    scale = sqrt(sum(x * x for x in x_spread) * sum(y * y for y in y_spread))
    if not scale:
        return None
    return sum(x * y for x, y in zip(x_spread, y_spread, strict=True)) / scale


def centred(values: Sequence[float]) -> list[float]:
    """The values as differences from their mean; all of one value gives exact zeros."""
    if not values or min(values) == max(values):
        return [0.0] * len(values)
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1 up; equal values share the mean of theirs (Spearman).

    >>> ranks([10, 30, 10, 20])
    [1.5, 4.0, 1.5, 3.0]
    """
    order = sorted(range(len(values)), key=lambda at: values[at])
    found = [0.0] * len(values)
    for _, group in groupby(enumerate(order, start=1), key=lambda one: values[one[1]]):
        places = list(group)
        mean = sum(place for place, _ in places) / len(places)
        for _, at in places:
            found[at] = mean
    return found
