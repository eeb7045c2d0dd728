"""Reproducible random streams, one for each person and concern."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class RandomStream:
    """A random stream that uses only uniform numbers and basic arithmetic.

    Functions such as `gauss` or `choices` may differ between Python versions, and `log` between
    machines; `random()` does not.

    >>> RandomStream(0, 1, "labs").uniform() == RandomStream(0, 1, "labs").uniform()
    True
    >>> RandomStream(0, 1, "labs").uniform() == RandomStream(0, 1, "vitals").uniform()
    False
    """

    def __init__(self, seed: int, person: int, concern: str) -> None:
        self.uniform = Random(f"{seed}:{person}:{concern}").random

    def chance(self, share: float) -> bool:
        """True with probability `share`."""
        return self.uniform() < share

    def between(self, least: float, most: float) -> float:
        """A uniform number in an interval."""
        return least + (most - least) * self.uniform()

    def whole(self, least: int, most: int) -> int:
        """A uniform integer, both ends included."""
        return least + int((most - least + 1) * self.uniform())

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices with equal probability."""
        return choices[int(len(choices) * self.uniform())]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys with probability proportional to its weight."""
        mark = self.uniform() * sum(weights.values())
        key = None
        for key, weight in weights.items():  # noqa: B007
            mark -= weight
            if mark < 0:
                break
        if key is None:
            raise ValueError("nothing to choose from")
        return key

    def normal(self) -> float:
        """An approximately standard normal number, limited to ±4.3."""
        u = self.uniform
        return (u() + u() + u() + u() + u() + u() - 3.0) * 1.4142135623730951

    def quantile(self, points: Sequence[float]) -> float:
        """A draw from a distribution given by evenly spaced quantiles, including the extremes.

        >>> 1 <= RandomStream(0, 0, "stay").quantile([1, 2, 4, 9, 30]) <= 30
        True
        """
        position = self.uniform() * (len(points) - 1)
        lower = int(position)
        return points[lower] + (points[lower + 1] - points[lower]) * (position - lower)
