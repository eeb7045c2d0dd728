"""Plays and judges the trials of a run in this process; workers share the protocol."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.limits import Limits
from wardround.core.session import Surround, play_trial, unchanged
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial, VerdictListener, judge_trial
from wardround.core.verdict import Verdict

JudgeTrial: TypeAlias = Callable[
    [FinishedTrial, Sequence[Verdict], VerdictListener], Awaitable[str]
]


class Trials(Protocol):
    """Plays and judges trials. Faults are outcomes; only a `UserError` is raised."""

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        """Plays a trial until its last attempt is over; see `wardround.core.trial.play_trial`."""
        ...

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        """Judges a trial; see `wardround.core.trial.judge_trial`."""
        ...


@dataclass(frozen=True, slots=True)
class OwnTrials:
    """Plays and judges trials in this process.

    Attributes:
        benchmark: the benchmark, open.
        agent_for: the maker of a task's agent.
        seed: the run's seed.
        limits: limits of a trial.
        attempts: the most attempts at a trial.
        surround: puts something around the environment of each attempt.
    """

    benchmark: Benchmark
    agent_for: Callable[[Task[Any, Any]], AgentMaker]
    seed: int = 0
    limits: Limits | None = None
    attempts: int = 3
    surround: Surround = unchanged

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        """Plays a trial."""
        return await play_trial(
            self.benchmark,
            self.agent_for(task),
            task,
            trial,
            run_seed=self.seed,
            limits=self.limits,
            attempts=self.attempts,
            unvalidated=unvalidated,
            surround=self.surround,
        )

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        """Judges a trial."""
        return await judge_trial(self.benchmark, trial, known, on_verdict)
