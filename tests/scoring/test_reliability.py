from itertools import combinations, pairwise
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.scoring.reliability import (
    Tally,
    pass_at_k,
    pass_hat_k,
    reliabilities,
)

tallies = st.integers(1, 12).flatmap(
    lambda trials: st.integers(0, trials).map(lambda successes: Tally(trials, successes))
)


@given(tallies, st.data())
def test_formulas_match_enumeration_of_samples(tally: Tally, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, tally.trials))
    outcomes = [True] * tally.successes + [False] * (tally.trials - tally.successes)
    samples = list(combinations(outcomes, k))
    assert isclose(
        pass_at_k(tally.trials, tally.successes, k), sum(map(any, samples)) / len(samples)
    )
    assert isclose(
        pass_hat_k(tally.trials, tally.successes, k), sum(map(all, samples)) / len(samples)
    )


@given(tallies)
def test_all_metrics_equal_the_success_rate_at_k_1(tally: Tally) -> None:
    [figures] = reliabilities([tally], 1)
    assert isclose(figures.pass_at, figures.success_rate)
    assert isclose(figures.pass_hat, figures.success_rate)


@given(tallies)
def test_more_trials_raise_pass_at_k_and_lower_pass_hat_k(tally: Tally) -> None:
    by_k = [reliabilities([tally], k)[0] for k in range(1, tally.trials + 1)]
    for fewer, more in pairwise(by_k):
        assert more.pass_at >= fewer.pass_at - 1e-12
        assert more.pass_hat <= fewer.pass_hat + 1e-12
        assert more.gap >= fewer.gap - 1e-12


def test_tasks_with_too_few_trials_are_left_out() -> None:
    assert len(reliabilities([Tally(5, 5), Tally(4, 4), Tally(0, 0)], 5)) == 1


@pytest.mark.parametrize(
    ("trials", "successes", "k"), [(5, 1, 0), (5, 1, 6), (5, 6, 1), (5, -1, 1)]
)
def test_impossible_counts_are_refused(trials: int, successes: int, k: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        pass_at_k(trials, successes, k)
    with pytest.raises(ValueError, match="do not fit"):
        pass_hat_k(trials, successes, k)
