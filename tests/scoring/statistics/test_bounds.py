from math import isclose
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy import mean

from tests.scoring.statistics.conftest import ExactTest
from wardround.scoring.statistics.bounds import holm, one_sided_bounds, p_above, p_below

counts = st.integers(2, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
limits = st.floats(0.01, 0.99)
shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=2, max_size=60)


def rate(successes: int, tasks: int) -> list[float]:
    return [1.0] * successes + [0.0] * (tasks - successes)


@given(counts, limits)
def test_a_rate_is_tested_as_by_scipy(
    binomtest: ExactTest, count: tuple[int, int], limit: float
) -> None:
    successes, tasks = count
    above = binomtest(successes, tasks, limit, alternative="greater").pvalue
    below = binomtest(successes, tasks, limit, alternative="less").pvalue
    assert isclose(p_above(rate(*count), limit), above, rel_tol=1e-6, abs_tol=1e-12)
    assert isclose(p_below(rate(*count), limit), below, rel_tol=1e-6, abs_tol=1e-12)


@given(counts)
def test_the_bounds_of_a_rate_are_those_of_scipy(
    binomtest: ExactTest, count: tuple[int, int]
) -> None:
    successes, tasks = count
    exact = binomtest(successes, tasks).proportion_ci(confidence_level=0.9, method="exact")
    bounds = one_sided_bounds(rate(*count))
    assert bounds is not None
    assert isclose(bounds.low, exact.low, abs_tol=1e-9)
    assert isclose(bounds.high, exact.high, abs_tol=1e-9)


def test_a_count_of_zero_has_an_upper_bound() -> None:
    bounds = one_sided_bounds([0.0] * 180)
    assert bounds is not None
    assert round(bounds.high, 3) == 0.017


@pytest.mark.parametrize("tasks", [10, 60, 180])
def test_a_share_of_one_task_decides_no_more_than_none(tasks: int) -> None:
    none, third = [0.0] * tasks, [1 / 3] + [0.0] * (tasks - 1)
    limit = 2 / tasks
    assert p_below(third, limit) > p_below(none, limit)
    best, better = [1 - value for value in none], [1 - value for value in third]
    assert p_above(better, 1 - limit) > p_above(best, 1 - limit)
    bounds = [one_sided_bounds(values) for values in (none, third, best, better)]
    highs, lows = [each and each.high for each in bounds], [each and each.low for each in bounds]
    assert (highs[0] or 0) < (highs[1] or 0)
    assert (lows[3] or 1) < (lows[2] or 1)


def test_the_bounds_of_shares_are_those_of_scipy() -> None:
    from scipy.stats import bootstrap

    values = [0.0, 1 / 3, 2 / 3, 1.0, 1.0, 1.0] * 10
    bounds = one_sided_bounds(values)
    assert bounds is not None

    def interval(sample: list[float], side: Literal["less", "greater"]) -> Any:
        resampled = bootstrap(
            (sample,), mean, method="percentile", alternative=side, n_resamples=10_000, rng=1
        )
        return resampled.confidence_interval

    assert isclose(bounds.low, interval([*values, 0.0], "greater").low, abs_tol=0.006)
    assert isclose(bounds.high, interval([*values, 1.0], "less").high, abs_tol=0.006)


@given(shares, limits)
def test_a_limit_beyond_a_bound_is_decided(values: list[float], limit: float) -> None:
    bounds = one_sided_bounds(values)
    assert bounds is not None
    # The resamples have steps: a limit on one is on neither side for sure.
    if limit < bounds.low - 1e-9:
        assert p_above(values, limit) <= 0.051
    if limit > bounds.high + 1e-9:
        assert p_below(values, limit) <= 0.051
    if bounds.low + 0.05 < limit < bounds.high - 0.05:
        assert min(p_above(values, limit), p_below(values, limit)) > 0.04


# Worked by hand from Holm (1979); R's p.adjust gives the same.
@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01], [0.01]),
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ([0.04, 0.001, 0.03, 0.2], [0.09, 0.004, 0.09, 0.2]),
        ([0.6, 0.7], [1.0, 1.0]),
    ],
)
def test_holm_multiplies_by_the_tests_that_are_left(
    p_values: list[float], adjusted: list[float]
) -> None:
    assert all(map(isclose, holm(p_values), adjusted))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_none_and_bonferroni(p_values: list[float]) -> None:
    for raw, adjusted in zip(p_values, holm(p_values), strict=True):
        assert raw - 1e-12 <= adjusted <= min(1.0, raw * len(p_values)) + 1e-12
