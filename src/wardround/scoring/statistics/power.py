"""The difference that a number of tasks can show, and the number that a decision takes."""

from collections.abc import Sequence
from math import ceil, log, sqrt
from statistics import NormalDist, fmean, pvariance

from wardround.scoring.statistics.bounds import ALPHA
from wardround.scoring.statistics.intervals import binomial_tail, is_rate

POWER = 0.8
# More tasks than anybody will make.
MOST_TASKS = 1_000_000


def detectable_difference(tasks: int, discordant: float) -> float | None:
    """The smallest difference of two agents on the same tasks that is found 4 times in 5.

    The two-sided McNemar test at 5%, by Connor's approximation of its power (1987).

    Args:
        tasks: the number of tasks, with one trial by each agent.
        discordant: the share of tasks that only one of the two does right, from 0 to 1.

    Returns:
        The difference of the two success rates; None if even the largest possible one, all
        discordant tasks done by the same agent, would be missed too often.

    >>> [round(100 * (detectable_difference(180, share) or 0)) for share in (0.2, 0.4)]
    [9, 13]
    """
    if tasks < 1 or _tasks_for(discordant, discordant) > tasks:
        return None
    low, high = 0.0, discordant
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _tasks_for(middle, discordant) > tasks else (low, middle)
    return high


def _tasks_for(difference: float, discordant: float) -> float:
    """The number of tasks at which a difference is found with the power."""
    if not difference:
        return float("inf")
    spread = sqrt(max(0.0, discordant - difference**2))
    noise = _z(1 - ALPHA / 2) * sqrt(discordant) + _z(POWER) * spread
    return noise**2 / difference**2


def deciding_tasks(values: Sequence[float], limit: float, alpha: float = ALPHA) -> int | None:
    """The number of tasks at which a one-sided bound clears a limit, if the mean stays.

    Args:
        values: one for each task seen, from 0 to 1.
        limit: the limit that the mean is compared with.
        alpha: one minus the confidence of the bound.

    Returns:
        At least the number of tasks seen; None if the mean is the limit, or too close to it.
    """
    mean = fmean(values)
    if mean == limit:
        return None
    number = (
        _deciding_rates(mean, limit, alpha)
        if is_rate(values)
        else ceil(pvariance(values) * (_z(1 - alpha) / (mean - limit)) ** 2)
    )
    return None if number is None or number > MOST_TASKS else max(number, len(values))


def _deciding_rates(rate: float, limit: float, alpha: float) -> int | None:
    """The number of tasks at which the exact test decides, at an unchanged rate."""
    if rate < limit:
        rate, limit = 1 - rate, 1 - limit
    if not 0 < limit < 1:
        return None
    if rate == 1:
        return ceil(log(alpha) / log(limit))
    low, high = 0, 1
    while high <= MOST_TASKS and not _is_decided(rate, limit, high, alpha):
        low, high = high, 2 * high
    if high > MOST_TASKS:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _is_decided(rate, limit, middle, alpha) else (middle, high)
    return high


def _is_decided(rate: float, limit: float, tasks: int, alpha: float) -> bool:
    # Rounded down, so that a count just above the rate decides nothing.
    return binomial_tail(int(rate * tasks), tasks, limit) <= alpha


def _z(probability: float) -> float:
    return NormalDist().inv_cdf(probability)
