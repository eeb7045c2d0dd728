"""An agent on a database: what was asked, what came out, and under which policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wardround.assessment.decision import RuleResult, State
from wardround.assessment.evidence import PlayedSuite
from wardround.assessment.suites import BenchmarkSuite


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
