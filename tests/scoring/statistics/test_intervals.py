import statistics
from math import comb, isclose
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wardround.scoring.statistics.intervals import (
    binomial_interval,
    centred,
    correlation,
    mean_intervals,
)

numbers = st.floats(-100, 100).map(lambda x: round(x, 3))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30))
def test_intervals_contain_the_mean_and_stay_in_range(rows: list[tuple[bool, bool]]) -> None:
    intervals = mean_intervals(rows, resamples=400)
    for column, interval in zip(zip(*rows, strict=True), intervals, strict=True):
        assert interval is not None
        mean = sum(column) / len(column)
        assert -1e-9 <= interval.low <= mean + 1e-9
        assert mean - 1e-9 <= interval.high <= 1 + 1e-9


def test_interval_width_matches_the_normal_approximation() -> None:
    rows = [[float(n % 4 == 0)] for n in range(400)]
    [interval] = mean_intervals(rows)
    assert interval is not None
    expected = 2 * 1.96 * (0.25 * 0.75 / 400) ** 0.5
    assert isclose(interval.high - interval.low, expected, rel_tol=0.1)


def test_higher_levels_give_wider_intervals() -> None:
    rows = [[float(n % 3)] for n in range(50)]
    [narrow], [wide] = mean_intervals(rows, level=0.5), mean_intervals(rows, level=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_same_seed_same_interval() -> None:
    rows = [[float(n % 3)] for n in range(50)]
    assert mean_intervals(rows, seed=1) == mean_intervals(rows, seed=1)
    assert mean_intervals(rows, seed=1) != mean_intervals(rows, seed=2)


rates = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 2 / 3, 0.7, 1.0])


@given(st.lists(st.tuples(rates, rates), min_size=2, max_size=30), st.randoms())
def test_intervals_are_independent_of_task_order(
    rows: list[tuple[float, float]], random: Random
) -> None:
    mixed = random.sample(rows, len(rows))
    assert mean_intervals(mixed, resamples=50) == mean_intervals(rows, resamples=50)


@pytest.mark.parametrize(
    ("tasks", "reach"), [(2, 0.15811), (10, 0.69150), (50, 0.92888), (1000, 0.99632)]
)
def test_tasks_that_all_pass_or_all_fail_have_exact_intervals(tasks: int, reach: float) -> None:
    passed, failed, mixed = mean_intervals([(1.0, 0, n % 2) for n in range(tasks)])
    assert passed is not None
    assert failed is not None
    assert mixed is not None
    assert isclose(passed.low, reach, abs_tol=1e-5)
    assert passed.high == 1
    assert failed.low == 0
    assert isclose(failed.high, 1 - reach, abs_tol=1e-5)
    assert mixed.low < 0.5 < mixed.high


def test_fewer_than_two_tasks_give_no_interval() -> None:
    assert mean_intervals([]) == []
    assert mean_intervals([[1.0, 2.0]]) == [None, None]


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20))
def test_correlation_matches_the_standard_library(pairs: list[tuple[float, float]]) -> None:
    xs, ys = zip(*pairs, strict=True)
    assume(len(set(xs)) > 1 and len(set(ys)) > 1)
    result = correlation(xs, ys)
    assert result is not None
    assert isclose(result, statistics.correlation(xs, ys), abs_tol=1e-9)


@given(numbers, st.lists(numbers, min_size=1))
def test_correlation_without_variance_is_none(value: float, others: list[float]) -> None:
    assert correlation([value] * len(others), others) is None


def test_correlation_refuses_unequal_lengths() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        correlation([1, 2], [1])


def test_centring_no_values_gives_no_values() -> None:
    assert centred([]) == []


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_binomial_interval_leaves_its_tails_outside(counts: tuple[int, int]) -> None:
    successes, trials = counts
    interval = binomial_interval(successes, trials)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1
    if successes:
        assert isclose(chance(range(successes, trials + 1), trials, interval.low), 0.025)
    if successes < trials:
        assert isclose(chance(range(successes + 1), trials, interval.high), 0.025)


@given(st.lists(st.booleans(), min_size=2, max_size=200))
def test_a_mean_of_zeros_and_ones_has_the_interval_of_a_rate(passed: list[bool]) -> None:
    expected = binomial_interval(sum(passed), len(passed))
    assert mean_intervals([[value, 0.5] for value in passed])[0] == expected


def chance(successes: range, trials: int, rate: float) -> float:
    """The probability of a number of successes in a range, by exact binomial coefficients."""
    return sum(comb(trials, n) * rate**n * (1 - rate) ** (trials - n) for n in successes)
