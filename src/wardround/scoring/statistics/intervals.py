"""Confidence intervals over tasks, and correlation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import log, log1p, sqrt
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


def mean_intervals(
    rows: Sequence[Sequence[float]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> list[Interval | None]:
    """Intervals of the columns' means over rows (tasks).

    A column of zeros and ones is a rate, and gets its Clopper-Pearson interval. Any other column
    gets a percentile bootstrap interval, resampling rows. The order of rows does not matter.

    Args:
        rows: Rates of shape (tasks, metrics); a task's metrics are resampled together.
        seed: The same seed gives the same intervals.
        resamples: Number of bootstrap resamples.
        level: Share of resampled means inside the interval.

    Returns:
        One interval for each column; None with fewer than two tasks.

    >>> mean_intervals([[0.5], [0.25], [0.25], [0.5]])
    [Interval(low=0.25, high=0.5)]
    >>> mean_intervals([[1.0]] * 50)
    [Interval(low=0.9288782635358024, high=1.0)]
    """
    if not rows:
        return []
    if len(rows) == 1:
        return [None] * len(rows[0])
    means = resampled_sums(rows, seed=seed, resamples=resamples) / len(rows)
    columns = zip(zip(*rows, strict=True), means.T, strict=True)
    return [
        binomial_interval(round(sum(column)), len(column), level=level)
        if is_rate(column)
        else percentile_interval(resampled, level=level)
        for column, resampled in columns
    ]


def is_rate(column: Sequence[float]) -> bool:
    """True if all values are 0 or 1."""
    return set(column) <= {0, 1}


@lru_cache(maxsize=1024)
def binomial_interval(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """The Clopper-Pearson interval of a rate.

    Args:
        successes: From 0 to `trials`.
        trials: At least 1.
        level: Minimum coverage.

    >>> interval = binomial_interval(49, 50)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.8935, 0.9995)
    """
    tail = (1 - level) / 2
    low = 0.0 if not successes else _rate_with_tail(successes, trials, tail)
    high = 1.0 if successes == trials else 1 - _rate_with_tail(trials - successes, trials, tail)
    return Interval(low, high)


def _rate_with_tail(successes: int, trials: int, tail: float) -> float:
    """The rate at which at least this many successes have the probability `tail`."""
    if successes == trials:
        exact: float = tail ** (1 / trials)
        return exact
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        low, high = (rate, high) if binomial_tail(successes, trials, rate) < tail else (low, rate)
    return (low + high) / 2


def binomial_tail(successes: int, trials: int, rate: float) -> float:
    """The probability of at least this many successes.

    >>> round(binomial_tail(1, 5, 0.1), 5), round(binomial_tail(2, 2, 0.5), 5)
    (0.40951, 0.25)
    """
    if not successes or rate >= 1:
        return 1.0
    if rate <= 0:
        return 0.0
    import numpy as np

    counts = np.arange(successes, trials + 1)
    chances = _log_ways(successes, trials) + counts * log(rate) + (trials - counts) * log1p(-rate)
    return min(1.0, float(np.exp(chances).sum()))


@lru_cache(maxsize=8)
def _log_ways(successes: int, trials: int) -> "NDArray[np.float64]":
    """The logarithm of the number of ways to succeed `successes` to `trials` times."""
    import numpy as np

    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    counts = np.arange(successes, trials + 1)
    ways: NDArray[np.float64] = (
        factorials[trials] - factorials[counts] - factorials[trials - counts]
    )
    return ways


def resampled_sums(
    rows: Sequence[Sequence[float]], *, seed: int = 0, resamples: int = RESAMPLES
) -> "NDArray[np.float64]":
    """Sums of the columns over resampled rows (tasks): shape (resamples, metrics).

    Metrics that are not means, such as F1, are computed from these sums. Equal rows are drawn as
    one multinomial category, so the cost depends on the number of distinct rows, and the order of
    rows does not matter.
    """
    import numpy as np

    categories = sorted(Counter(map(tuple, rows)).items())
    chances = np.asarray([count for _, count in categories]) / len(rows)
    draws = np.random.default_rng(seed).multinomial(len(rows), chances, size=resamples)
    sums: NDArray[np.float64] = draws @ np.asarray(
        [category for category, _ in categories], dtype=float
    )
    return sums


def difference_interval(
    rows: Sequence[Sequence[float]], *, seed: int = 0, level: float = 0.95
) -> Interval | None:
    """The percentile bootstrap interval of the difference of two means, resampling rows (tasks).

    Args:
        rows: each task's sum and number of the first values, then those of the second.
        seed: the same seed gives the same interval.
        level: share of resampled differences inside the interval.

    Returns:
        None with fewer than two tasks, or if a resample has no values on one side.

    >>> difference_interval([[1.0, 1, 2.0, 1], [2.0, 2, 4.0, 2]])
    Interval(low=-1.0, high=-1.0)
    """
    if len(rows) < 2:
        return None
    import numpy as np

    first, first_count, second, second_count = resampled_sums(rows, seed=seed).T
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = first / first_count - second / second_count
    return percentile_interval(differences, level=level)


def percentile_interval(values: "NDArray[np.float64]", *, level: float = 0.95) -> Interval | None:
    """The central percentile interval of the values; None if one is NaN."""
    import numpy as np

    if np.isnan(values).any():
        return None
    tail = 50 * (1 - level)
    low, high = np.percentile(values, [tail, 100 - tail])
    return Interval(float(low), float(high))


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's correlation (point-biserial if one side is 0 or 1); None without variance.

    Raises:
        ValueError: The two sequences differ in length.

    >>> correlation([1, 2, 3], [6, 4, 2])
    -1.0
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} values cannot be paired with {len(ys)}")
    x_deviations, y_deviations = centred(xs), centred(ys)
    scale = sqrt(sum(x * x for x in x_deviations) * sum(y * y for y in y_deviations))
    if not scale:
        return None
    return sum(x * y for x, y in zip(x_deviations, y_deviations, strict=True)) / scale


def centred(values: Sequence[float]) -> list[float]:
    """The values minus their mean; equal values give exact zeros."""
    if not values or min(values) == max(values):
        return [0.0] * len(values)
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1; ties share their mean rank (Spearman).

    >>> ranks([10, 30, 10, 20])
    [1.5, 4.0, 1.5, 3.0]
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    result = [0.0] * len(values)
    for _, ties in groupby(enumerate(order, start=1), key=lambda pair: values[pair[1]]):
        ranked = list(ties)
        mean = sum(rank for rank, _ in ranked) / len(ranked)
        for _, index in ranked:
            result[index] = mean
    return result
