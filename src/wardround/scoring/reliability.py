"""Success over repeated trials of a task: SR-k, Pass@k, Pass^k, Gap-k (Lee et al. 2025, 5.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of scored and of successful trials of one task."""

    trials: int
    successes: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """One task's rates at k, each from 0 to 1; the published metrics are means over tasks."""

    success_rate: float
    pass_at: float
    pass_hat: float

    @property
    def gap(self) -> float:
        """Gap-k: Pass@k minus Pass^k."""
        return self.pass_at - self.pass_hat


def pass_at_k(trials: int, successes: int, k: int) -> float:
    """Probability that at least one of k trials, drawn without replacement, succeeds.

    Raises:
        ValueError: `k` is not between 1 and the number of trials.

    >>> pass_at_k(5, 1, 5), pass_at_k(4, 1, 2)
    (1.0, 0.5)
    """
    _check_counts(trials, successes, k)
    samples = comb(trials, k)
    return (samples - comb(trials - successes, k)) / samples


def pass_hat_k(trials: int, successes: int, k: int) -> float:
    """Probability that all of k trials, drawn without replacement, succeed.

    Raises:
        ValueError: `k` is not between 1 and the number of trials.

    >>> pass_hat_k(5, 4, 5), pass_hat_k(4, 2, 1)
    (0.0, 0.5)
    """
    _check_counts(trials, successes, k)
    return comb(successes, k) / comb(trials, k)


def reliabilities(tallies: Sequence[Tally], k: int) -> list[Reliability]:
    """Each task's rates at k, skipping tasks with fewer than k scored trials.

    SR-k is the success rate over all scored trials of the task: the expected rate of k of them,
    with less noise.
    """
    return [
        Reliability(
            task.successes / task.trials,
            pass_at_k(task.trials, task.successes, k),
            pass_hat_k(task.trials, task.successes, k),
        )
        for task in tallies
        if task.trials >= k
    ]


def _check_counts(trials: int, successes: int, k: int) -> None:
    if not 1 <= k <= trials or not 0 <= successes <= trials:
        raise ValueError(f"k={k} and {successes} successes do not fit {trials} trials")
