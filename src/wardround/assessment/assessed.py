"""An assessed agent on a database: the request, its results and its policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wardround.assessment.decision import RuleResult, State
from wardround.assessment.evidence import PlayedSuite
from wardround.assessment.suites import BenchmarkSuite
from wardround.core.record import by_task
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.paired import PairedDifference, paired_difference


@dataclass(frozen=True, slots=True)
class Assessed:
    """The subject and the results of an assessment.

    Attributes:
        agent: the agent, with its model if it has one.
        database: the database's name, without its location.
        fingerprints: digests of the database's content.
        date: the day, as "28 November 2026".
        trials: the number of trials of each task.
        suites: the suites that were made, and the benchmarks without one.
        played: the trials.
        rules: the rules of the policy with their figures; empty without a policy.
        state: the policy's state; None without one.
        beside: the trials of other agents on the same suites, by the agent's name.
        notices: sentences on the runs' authenticity and the agent's confinement.
    """

    agent: str
    database: str
    fingerprints: Sequence[str]
    date: str
    trials: int
    suites: Sequence[BenchmarkSuite]
    played: Sequence[PlayedSuite]
    rules: Sequence[RuleResult] = ()
    state: State | None = None
    beside: Mapping[str, Sequence[PlayedSuite]] = field(default_factory=dict)
    notices: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The page's title."""
        prints = ", ".join(digest[:12] for digest in self.fingerprints)
        return f"{self.agent} on {self.database} ({prints}), {self.date}"


def differences(assessed: Assessed) -> dict[str, PairedDifference]:
    """The other agents' differences from this one, by name."""
    mine = _tallies(assessed.played)
    by_name = {}
    for name, played in assessed.beside.items():
        other = _tallies(played)
        difference = paired_difference([(mine[key], other[key]) for key in mine if key in other])
        if difference is not None:
            by_name[name] = difference
    return by_name


def _tallies(played: Sequence[PlayedSuite]) -> dict[tuple[str, str], Tally]:
    return {
        (suite.benchmark, task): Tally(
            sum(trial.outcome.scored for trial in trials),
            sum(trial.outcome.value == "passed" for trial in trials),
        )
        for suite in played
        if not suite.is_injected
        for task, trials in by_task(suite.trials).items()
    }
