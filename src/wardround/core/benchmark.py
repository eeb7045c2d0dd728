"""The interface of a benchmark: tasks, environment, judge, score, summarize, oracle.

Optional methods of benchmarks are in `wardround.core.capabilities`.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias

from wardround.core.declaration import Opening
from wardround.core.environment import Agent, Environment
from wardround.core.figures import Figure
from wardround.core.limits import Limits
from wardround.core.record import TrialRecord
from wardround.core.task import Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Ledger, Requested, Trajectory
from wardround.core.verdict import Verdict


@dataclass(slots=True)
class TrialContext:
    """The surroundings of one attempt.

    Attributes:
        seed: the attempt's seed.
        limits: limits of the attempt.
        trajectory: collects the events, including requests of the environment's models.
        lessons: the validator's explanations of the rules broken in earlier attempts.
        recorded: the trajectory to replay, if any; people repeat their part of it.
        verdicts: collects verdicts that the environment reaches while it runs, so that they are
            not judged again.
    """

    seed: int
    limits: Limits
    trajectory: Trajectory
    lessons: tuple[str, ...] = ()
    recorded: Trajectory | None = None
    verdicts: list[Verdict] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AgentContext:
    """The surroundings of an agent in one attempt.

    Attributes:
        seed: its seed.
        ledger: collects its model requests.
        cleanup: callbacks to run when the attempt is over.
    """

    seed: int
    ledger: Ledger
    cleanup: AsyncExitStack = field(default_factory=AsyncExitStack)


AgentMaker: TypeAlias = Callable[[Briefing, AgentContext], Agent]


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """The surroundings of judging one attempt.

    Attributes:
        seed: the attempt's seed.
        record: called with each request to a model.
        known: earlier verdicts by key; final ones are not requested again, and others get the
            missing votes.
    """

    seed: int = 0
    record: Callable[[Requested], None] = lambda request: None
    known: Mapping[str, Verdict] = field(default_factory=dict)

    def has(self, key: str) -> bool:
        """True if there is a final verdict with this key."""
        return key in self.known and self.known[key].final


@dataclass(frozen=True, slots=True)
class Score:
    """A trial's grade by grading, the benchmark's default grading first.

    Attributes:
        passed: True for each grading that the trial passed.
        rewards: reward by grading, 0 to 1.
        note: reason for a failure, without any value of the database.
        measures: further figures for the summary: the fields of a dataclass of the benchmark's
            own, as JSON values.
    """

    passed: Mapping[str, bool]
    rewards: Mapping[str, float]
    note: str = ""
    measures: Mapping[str, Any] = field(default_factory=dict)

    def passes(self, grading: str = "") -> bool:
        """True if the trial passed by this grading, or by the first one if none is named."""
        return self.passed[grading or next(iter(self.passed))]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of figures; `rows` hold plain values in the columns' order.

    The same names and figures are printed, written as JSON and shown in the HTML report.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """The paper's tables and figures for the trials of a run, by name."""

    tables: Mapping[str, Table]
    figures: Mapping[str, Figure] = field(default_factory=dict)


class TrialMaker(Protocol):
    """The methods of a benchmark that one trial needs; see `Benchmark`."""

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Environment:
        """Makes the environment of one attempt at a task."""
        ...

    def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields the missing verdicts."""
        ...

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Computes the score from trajectory and verdicts alone."""
        ...


class Benchmark(Protocol):
    """One benchmark, opened on one database with its people."""

    @classmethod
    def open(cls, opening: Opening[Any, Any]) -> Self:
        """Opens the benchmark with a run's settings.

        Args:
            opening: its options, databases, limits and models.

        Raises:
            UserError: a database, model or file cannot be opened.
        """
        ...

    @staticmethod
    def read(source: Path | None) -> Suite:
        """Reads tasks from a file in the published form, or the shipped suite; opens no database.

        Raises:
            UserError: the file is missing or holds no task at all.
        """
        ...

    def load(self, source: Path | None, chosen: Chosen) -> Suite:
        """Reads tasks from a file in the published form, or the shipped suite.

        Args:
            source: the file; None for the shipped suite.
            chosen: the choice of tasks; the golds of others are not checked.

        Raises:
            UserError: the file is missing or holds no task at all.
        """
        ...

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Environment:
        """Makes the environment of one attempt at a task."""
        ...

    def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields the missing verdicts; each is on disk before the next is requested.

        An item that its judge cannot decide gets an undecided verdict. The environment is
        already closed, so judges open their own resources.

        Raises:
            Exception: the remaining items cannot be judged; the trial is unscored.
        """
        ...

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Computes the score from trajectory and verdicts alone."""
        ...

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables and figures for these trials; needs no open benchmark."""
        ...

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        """An agent that knows the gold; it must pass every shipped task."""
        ...

    def fingerprints(self) -> dict[str, str]:
        """Content hashes of the databases that the tasks run against, by name."""
        ...

    def close(self) -> None:
        """Closes databases and models."""
        ...
