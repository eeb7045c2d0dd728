from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring.statistics.conftest import ExactTest
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.paired import BOOTSTRAP, MCNEMAR, mcnemar, paired_difference

tallies = st.integers(0, 6).flatmap(
    lambda trials: st.integers(0, trials).map(lambda passed: Tally(trials, passed))
)
RIGHT, WRONG = Tally(1, 1), Tally(1, 0)


# Two-sided exact binomial tests at 0.5.
@pytest.mark.parametrize(
    ("won", "lost", "p"),
    [(1, 0, 1.0), (6, 0, 0.03125), (8, 1, 0.0390625), (10, 3, 0.092285), (15, 5, 0.041389)],
)
def test_mcnemar_matches_the_binomial_test(won: int, lost: int, p: float) -> None:
    assert isclose(mcnemar(won, lost), p, rel_tol=1e-4)
    assert mcnemar(won, lost) == mcnemar(lost, won)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_exact_test_of_scipy(binomtest: ExactTest, won: int, lost: int) -> None:
    exact = binomtest(won, won + lost).pvalue if won + lost else 1.0
    assert isclose(mcnemar(won, lost), exact, rel_tol=1e-9)


def test_the_interval_of_a_difference_is_that_of_scipy() -> None:
    from scipy.stats import bootstrap

    pairs = [(WRONG, RIGHT)] * 30 + [(RIGHT, WRONG)] * 10 + [(RIGHT, RIGHT)] * 60
    found = paired_difference(pairs)
    assert found is not None
    assert found.interval is not None
    rates = [[float(side.successes) for side in sides] for sides in zip(*pairs, strict=True)]
    exact = bootstrap(
        rates,
        lambda first, second, axis: (second - first).mean(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        rng=1,
    ).confidence_interval
    assert isclose(found.interval.low, exact.low, abs_tol=0.02)
    assert isclose(found.interval.high, exact.high, abs_tol=0.02)


def test_one_trial_a_task_is_tested_by_mcnemar() -> None:
    pairs = [(WRONG, RIGHT)] * 8 + [(RIGHT, WRONG)] + [(RIGHT, RIGHT)] * 11
    found = paired_difference(pairs)
    assert found is not None
    assert (found.test, found.tasks) == (MCNEMAR, 20)
    assert isclose(found.difference, 0.35)
    assert found.p == mcnemar(8, 1)
    assert found.interval is not None
    assert 0 < found.interval.low < 0.35 < found.interval.high < 0.7


def test_several_trials_a_task_are_tested_by_the_bootstrap() -> None:
    clear = paired_difference([(Tally(5, 1), Tally(5, 4)), (Tally(5, 2), Tally(5, 4))] * 20)
    none = paired_difference([(Tally(5, 1), Tally(5, 4)), (Tally(5, 4), Tally(5, 1))] * 20)
    assert clear is not None
    assert none is not None
    assert clear.test == none.test == BOOTSTRAP
    assert clear.p is not None
    assert none.p is not None
    assert clear.p < 0.01
    assert none.p > 0.5


def test_tasks_without_scored_trials_on_a_side_are_left_out() -> None:
    found = paired_difference([(RIGHT, Tally(0, 0)), (WRONG, RIGHT)])
    assert found is not None
    assert (found.tasks, found.first, found.second, found.interval) == (1, 0, 1, None)
    assert paired_difference([(RIGHT, Tally(0, 0))]) is None


@given(st.lists(st.tuples(tallies, tallies), max_size=20))
def test_swapping_the_agents_turns_the_sign(pairs: list[tuple[Tally, Tally]]) -> None:
    found, swapped = paired_difference(pairs), paired_difference([(b, a) for a, b in pairs])
    if found is None or swapped is None:
        assert found is swapped
    else:
        assert isclose(found.difference, -swapped.difference, abs_tol=1e-12)
        assert found.test == swapped.test
        assert found.p is None or 0 < found.p <= 1
