"""Abstention thresholds on the maximum entropy (Lee et al. 2022, 4.3)."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import numpy as np

from wardround.core.errors import UserError


def find_threshold(
    method: str | float, percentile: float, entropies: Sequence[float], source: Path
) -> float:
    """The threshold: a given number, or one found on the validation questions' entropies.

    Args:
        method: "none", "clustering", "percentile", or the threshold itself.
        percentile: For that method.
        entropies: The maximum entropy of each validation question.
        source: Where they are from, for errors.

    Raises:
        UserError: The method needs entropies, and there are not two that differ.
    """
    if not isinstance(method, str):
        return method
    if method == "none":
        return inf
    if len(set(entropies)) < 2:
        raise UserError(
            f"{source} has no validation questions to find a threshold on; train it with --valid, "
            "or give --agent-setting threshold=none or a number."
        )
    if method == "clustering":
        return cluster_boundary(entropies)
    return float(np.percentile(entropies, percentile))


def cluster_boundary(values: Sequence[float]) -> float:
    """The boundary of k-means with k = 2: midway between the two means.

    In one dimension the clusters are runs of the sorted values, so the best of the n - 1 splits is
    the global optimum.

    Args:
        values: At least two.

    >>> cluster_boundary([0.1, 0.2, 0.3, 1.8, 2.0])
    1.05
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    sizes = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    low, high = sums[:-1] / sizes, (sums[-1] - sums[:-1]) / (len(ordered) - sizes)
    # The total sum of squares is the same for all splits, so the means' share of it decides.
    best = int(np.argmax(low**2 * sizes + high**2 * (len(ordered) - sizes)))
    return float((low[best] + high[best]) / 2)
