"""How unsure is too unsure: thresholds of the maximum entropy (EHRSQL 4.3)."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np

from wardround.core.errors import UserError


def threshold_of(
    way: str | float, percentile: float, entropies: Sequence[float], source: Path
) -> float:
    """The threshold: a number as it is, or found on the validation questions' entropies.

    Args:
        way: "none", "clustering", "percentile", or the threshold itself.
        percentile: for that way.
        entropies: the maximum entropy of each validation question.
        source: where they are from, for errors.

    Raises:
        UserError: a way needs entropies, and there are not two that differ.
    """
    if not isinstance(way, str):
        return way
    if way == "none":
        return inf
    if len(set(entropies)) < 2:
        raise UserError(
            f"{source} has no validation questions to find a threshold on; train it with --valid, "
            "or give --agent-setting threshold=none or a number."
        )
    if way == "clustering":
        return boundary(entropies)
    return float(np.percentile(entropies, percentile))


def boundary(values: Sequence[float]) -> float:
    """Where k-means with k = 2 parts values: midway between the two means.

    On a line both clusters are runs of the sorted values, so each of the n - 1 places to part
    them is tried; the one with the least squared distance to the means is the best there is.

    Args:
        values: at least two.

    >>> boundary([0.1, 0.2, 0.3, 1.8, 2.0])
    1.05
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    sizes = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    low, high = sums[:-1] / sizes, (sums[-1] - sums[:-1]) / (len(ordered) - sizes)
    # The sum of squares is the same for all partings, so the means' share of it decides.
    best = int(np.argmax(low**2 * sizes + high**2 * (len(ordered) - sizes)))
    return float((low[best] + high[best]) / 2)
