import pytest

from tests.scoring.statistics.conftest import ExactTest
from wardround.scoring.statistics.power import deciding_tasks, detectable_difference


def rate(successes: int, tasks: int) -> list[float]:
    return [1.0] * successes + [0.0] * (tasks - successes)


@pytest.mark.parametrize(("tasks", "discordant"), [(180, 0.2), (180, 0.4), (600, 0.3)])
def test_a_detectable_difference_is_found_four_times_in_five(tasks: int, discordant: float) -> None:
    difference = detectable_difference(tasks, discordant)
    assert difference is not None
    import numpy as np
    from scipy.stats import binom

    number, won = np.meshgrid(np.arange(tasks + 1), np.arange(tasks + 1), indexing="ij")
    is_found = 2 * binom.cdf(np.minimum(won, number - won), number, 0.5) <= 0.05
    share = (discordant + difference) / 2 / discordant
    chances = binom.pmf(number, tasks, discordant) * binom.pmf(won, number, share)
    found = chances[is_found & (won <= number)].sum()
    # The exact test is a little more careful than the approximation.
    assert 0.74 <= found <= 0.81


def test_too_few_tasks_detect_nothing() -> None:
    assert detectable_difference(5, 0.2) is None
    assert detectable_difference(0, 0.2) is None


@pytest.mark.parametrize(
    ("successes", "tasks", "limit"), [(17, 20, 0.8), (0, 20, 0.05), (20, 20, 0.8), (5, 50, 0.2)]
)
def test_as_many_tasks_decide_a_rate(
    binomtest: ExactTest, successes: int, tasks: int, limit: float
) -> None:
    number = deciding_tasks(rate(successes, tasks), limit)
    assert number is not None
    side = "greater" if successes / tasks > limit else "less"
    count = successes / tasks * number
    assert binomtest(round(count), number, limit, alternative=side).pvalue <= 0.06
    assert number >= tasks


def test_a_mean_on_its_limit_is_never_decided() -> None:
    assert deciding_tasks(rate(8, 10), 0.8) is None
    assert deciding_tasks([0.5, 0.5, 1.0, 0.0], 0.5) is None


def test_shares_take_as_many_tasks_as_their_variance_asks_for() -> None:
    spread, narrow = [0.2, 1.0] * 10, [0.55, 0.65] * 10
    wide = deciding_tasks(spread, 0.5)
    assert wide is not None
    assert wide > 20
    assert deciding_tasks(narrow, 0.5) == 20
