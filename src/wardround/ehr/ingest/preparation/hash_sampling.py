"""Chance without order: every draw is a hash of the seed and of what it is for.

A person's draw does not depend on who else there is, on threads, or on a library's version.
"""

from statistics import NormalDist

from wardround.core.seeds import derive_seed

_EXP_MINUS_10 = 4.5399929762484854e-05


def uniform(seed: int, *what: str | int) -> float:
    """A number between 0 and 1, neither included.

    >>> uniform(0, "shift", 42) == uniform(0, "shift", 42) != uniform(0, "shift", 43)
    True
    """
    return ((derive_seed(seed, *what) >> 11) + 0.5) / 2**52


def poisson_10(seed: int, *what: str | int) -> int:
    """A draw from the Poisson distribution with mean 10, by inversion."""
    left = uniform(seed, *what)
    value, probability = 0, _EXP_MINUS_10
    while left >= probability and value < 100:
        left -= probability
        value += 1
        probability *= 10 / value
    return value


def positive_normal(mean: float, seed: int, *what: str | int) -> float:
    """A draw from the normal distribution with spread 1, drawn again while not above 0."""
    attempt = 0
    while (value := NormalDist(mean).inv_cdf(uniform(seed, *what, attempt))) <= 0:
        attempt += 1
    return value
