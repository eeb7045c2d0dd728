"""One-sided bounds of a mean over tasks, their p-values, and Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wardround.scoring.statistics.intervals import (
    binomial_interval,
    binomial_tail,
    is_rate,
    resampled_sums,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALPHA = 0.05
# The smallest p-value is one over this number, plus one.
RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The one-sided 95% bounds of a mean: with 95% confidence each, it is above or below one."""

    low: float
    high: float


def one_sided_bounds(values: Sequence[float], *, seed: int = 0) -> Bounds | None:
    """Bounds of the mean over tasks.

    Zeros and ones get Clopper-Pearson bounds, so that a count of zero has an upper bound. Other
    values get percentile bounds of the bootstrap over tasks, with one more task at 0 for the lower
    bound and at 1 for the upper, as Clopper and Pearson count one more success or failure. Without
    it, a harm in one trial of three would have a lower upper bound than none at all.

    Args:
        values: one for each task, from 0 to 1.
        seed: the same seed gives the same bounds.

    Returns:
        None with fewer than two tasks.

    >>> bounds = one_sided_bounds([0.0] * 180)
    >>> round(bounds.high, 4)
    0.0165
    """
    if len(values) < 2:
        return None
    if is_rate(values):
        interval = binomial_interval(round(sum(values)), len(values), level=1 - 2 * ALPHA)
        return Bounds(interval.low, interval.high)
    import numpy as np

    low = np.percentile(_resampled_means([*values, 0.0], seed), 100 * ALPHA)
    high = np.percentile(_resampled_means([*values, 1.0], seed), 100 * (1 - ALPHA))
    return Bounds(float(low), float(high))


def p_above(values: Sequence[float], limit: float, *, seed: int = 0) -> float:
    """The p-value against a true mean of at most `limit`: small if the mean is surely above it.

    Zeros and ones are tested by the exact binomial test, other values by the bootstrap over tasks,
    as their bounds are.

    >>> round(p_above([1.0] * 14, 0.8), 4)
    0.044
    """
    if not is_rate(values):
        means = _resampled_means([*values, 0.0], seed)
        return (1 + int((means <= limit).sum())) / (len(means) + 1)
    return binomial_tail(round(sum(values)), len(values), limit)


def p_below(values: Sequence[float], limit: float, *, seed: int = 0) -> float:
    """The p-value against a true mean of at least `limit`: small if the mean is surely below it."""
    if not is_rate(values):
        means = _resampled_means([*values, 1.0], seed)
        return (1 + int((means >= limit).sum())) / (len(means) + 1)
    failures = len(values) - round(sum(values))
    return binomial_tail(failures, len(values), 1 - limit)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number, so that one wrong rejection in all is rare.

    Holm's step-down procedure: the smallest is multiplied by the number of tests, the next by one
    less, and each is at least the one before.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def _resampled_means(values: Sequence[float], seed: int) -> "NDArray[np.float64]":
    sums = resampled_sums([[value] for value in values], seed=seed, resamples=RESAMPLES)
    return sums[:, 0] / len(values)
