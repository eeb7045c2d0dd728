"""Paired tests of two agents on the same tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.intervals import Interval, percentile_interval, resampled_sums

MCNEMAR, BOOTSTRAP = "McNemar, exact", "paired bootstrap"


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two success rates over the same tasks, second less first.

    Attributes:
        tasks: the number of tasks with scored trials on both sides.
        first: the first mean success rate, from 0 to 1.
        second: the second.
        interval: the 95% paired bootstrap interval of the difference; None with fewer than 2 tasks.
        p: the two-sided p-value of no difference.
        test: the test that gives `p`.
    """

    tasks: int
    first: float
    second: float
    interval: Interval | None
    p: float | None
    test: str

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.second - self.first


def paired_difference(pairs: Sequence[tuple[Tally, Tally]]) -> PairedDifference | None:
    """Compares the success rates of two agents.

    One scored trial a task on both sides is tested by McNemar's exact test. Several are tested by
    the paired bootstrap over tasks: twice the share of resampled differences on the rarer side of
    zero.

    Args:
        pairs: both tallies of each task; tasks without a scored trial on a side are left out.

    Returns:
        None if no task has scored trials on both sides.
    """
    counted = [(one, two) for one, two in pairs if one.trials and two.trials]
    if not counted:
        return None
    rates = [(one.successes / one.trials, two.successes / two.trials) for one, two in counted]
    first, second = (sum(column) / len(rates) for column in zip(*rates, strict=True))
    single = all(one.trials == two.trials == 1 for one, two in counted)
    interval, p = _bootstrap([two - one for one, two in rates])
    if single:
        won = sum(two > one for one, two in rates)
        p = mcnemar(won, sum(two < one for one, two in rates))
    test = MCNEMAR if single else BOOTSTRAP
    return PairedDifference(len(rates), first, second, interval, p, test)


def mcnemar(won: int, lost: int) -> float:
    """The two-sided p-value of McNemar's exact test.

    Args:
        won: tasks that only the second agent did right.
        lost: tasks that only the first agent did right.

    >>> mcnemar(0, 0), mcnemar(5, 0), mcnemar(3, 3)
    (1.0, 0.0625, 1.0)
    """
    discordant = won + lost
    tail = sum(comb(discordant, n) for n in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / float(2**discordant))


def _bootstrap(differences: Sequence[float]) -> tuple[Interval | None, float | None]:
    """The interval of the mean difference, and the p-value of none."""
    if len(differences) < 2:
        return None, None
    means = resampled_sums([[each] for each in differences])[:, 0] / len(differences)
    # The observed sample counts as one resample, so that no p-value is 0.
    sides = ((means <= 0).sum(), (means >= 0).sum())
    p = min(1.0, 2 * (1 + int(min(sides))) / (len(means) + 1))
    return percentile_interval(means), p
