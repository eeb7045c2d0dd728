"""Order-independent random draws: hashes of the seed and a key.

A person's draw does not depend on other people, threads or library versions.
"""

from statistics import NormalDist

from wardround.core.seeds import derive_seed

_EXP_MINUS_10 = 4.5399929762484854e-05


def uniform(seed: int, *key: str | int) -> float:
    """A uniform draw from the open interval (0, 1).

    >>> uniform(0, "shift", 42) == uniform(0, "shift", 42) != uniform(0, "shift", 43)
    True
    """
    return ((derive_seed(seed, *key) >> 11) + 0.5) / 2**52


def poisson_10(seed: int, *key: str | int) -> int:
    """A draw from Poisson(10), by inversion."""
    remaining = uniform(seed, *key)
    value, probability = 0, _EXP_MINUS_10
    while remaining >= probability and value < 100:
        remaining -= probability
        value += 1
        probability *= 10 / value
    return value


def positive_normal(mean: float, seed: int, *key: str | int) -> float:
    """A draw from Normal(mean, 1), redrawn until positive."""
    attempt = 0
    while (value := NormalDist(mean).inv_cdf(uniform(seed, *key, attempt))) <= 0:
        attempt += 1
    return value
