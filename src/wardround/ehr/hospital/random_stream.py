"""Chance: one stream of draws per person and concern, the same on every Python and machine."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of draws, made from uniform numbers by plain arithmetic only.

    Library functions such as `gauss` or `choices` may change between Python versions and `log`
    between machines; `random()` does not.

    >>> Draw(0, 1, "labs").uniform() == Draw(0, 1, "labs").uniform()
    True
    >>> Draw(0, 1, "labs").uniform() == Draw(0, 1, "vitals").uniform()
    False
    """

    def __init__(self, seed: int, person: int, concern: str) -> None:
        self.uniform = Random(f"{seed}:{person}:{concern}").random

    def chance(self, share: float) -> bool:
        """True in that share of draws."""
        return self.uniform() < share

    def between(self, least: float, most: float) -> float:
        """Evenly spread over the interval."""
        return least + (most - least) * self.uniform()

    def whole(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return least + int((most - least + 1) * self.uniform())

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices, each as likely."""
        return choices[int(len(choices) * self.uniform())]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, as likely as its weight; weights need not add up to 1."""
        mark = self.uniform() * sum(weights.values())
        chosen = None
        for chosen, weight in weights.items():  # noqa: B007
            mark -= weight
            if mark < 0:
                break
        if chosen is None:
            raise ValueError("nothing to choose from")
        return chosen

    def normal(self) -> float:
        """Nearly normal with mean 0 and spread 1, never beyond 4.3."""
        u = self.uniform
        return (u() + u() + u() + u() + u() + u() - 3.0) * 1.4142135623730951

    def quantile(self, points: Sequence[float]) -> float:
        """From a distribution given by evenly spaced quantiles, the extremes among them.

        >>> 1 <= Draw(0, 0, "stay").quantile([1, 2, 4, 9, 30]) <= 30
        True
        """
        place = self.uniform() * (len(points) - 1)
        lower = int(place)
        return points[lower] + (points[lower + 1] - points[lower]) * (place - lower)
