"""What ties a benchmark together: tasks, environment, validate, judge, score, summarize, oracle."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias

from wardround.core.declaration import Opening
from wardround.core.environment import Agent, Environment
from wardround.core.figures import Figure
from wardround.core.limits import Limits
from wardround.core.record import TrialRecord
from wardround.core.task import Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Ledger, Requested, Trajectory
from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What an environment is built with, beside its task.

    `lessons` are the validator's explanations of what the simulated person did wrong in
    earlier attempts at the same trial; `trajectory` is where the room's models record requests.
    `recorded` is set when a trial is replayed: its people say what they said there.
    `verdicts` takes what the environment finds while it runs, so that no judge finds it out again.
    """

    seed: int
    limits: Limits
    trajectory: Trajectory
    lessons: tuple[str, ...] = ()
    recorded: Trajectory | None = None
    verdicts: list[Verdict] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an agent is built with, beside its briefing: its seed and where its requests go."""

    seed: int
    ledger: Ledger


AgentMaker: TypeAlias = Callable[[Briefing, AgentContext], Agent]


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether the simulated people kept their rules, and so whether the attempt counts."""

    state: Literal["valid", "user_error", "undecided"] = "valid"
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """What an attempt is judged with, beside its task and trajectory.

    Attributes:
        seed: the attempt's seed.
        record: called with each request to a model.
        known: verdicts given before, by key; a final one is not asked for again, one that lacks
            votes is asked for the others.
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
        passed: whether the trial passed.
        rewards: what it earned, 0 to 1.
        note: why it did not pass, without any value of the database.
        measures: what else the summary needs of the trial: the fields of a dataclass of the
            benchmark's own, as JSON values.
    """

    passed: Mapping[str, bool]
    rewards: dict[str, float]
    note: str = ""
    measures: dict[str, Any] = field(default_factory=dict)

    def passes(self, grading: str = "") -> bool:
        """True if the trial passed by this grading; by the first one if none is named."""
        return self.passed[grading or next(iter(self.passed))]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an agent answered in a trial, in the benchmark's own form, and how sure it was."""

    answer: str
    confidence: float | None = None


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
    """What a benchmark makes of a run's trials: the paper's tables and figures, by name."""

    tables: dict[str, Table]
    figures: Mapping[str, Figure] = field(default_factory=dict)


class Benchmark(Protocol):
    """One benchmark, opened on one database with its people."""

    name: str

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Opens the benchmark as a run is set.

        Args:
            opening: its options, databases, limits and models.

        Raises:
            UserError: a database, model or anything else that is named cannot be opened.
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
            chosen: which of them; the golds of others are not checked.

        Raises:
            UserError: the file is missing or holds no task at all.
        """
        ...

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Environment:
        """Makes the room for one attempt at a task."""
        ...

    async def validate(
        self, task: Task[Any, Any], trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Decides whether the simulated people kept their rules."""
        ...

    def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Gives the verdicts that are not known yet, each on disk before the next is asked for.

        An item that its judge cannot decide gets an undecided verdict. The environment is
        closed by now, so whatever a program needs is opened here.

        Raises:
            Exception: the items that are left cannot be judged; the trial is unscored.
        """
        ...

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Makes the grade of what happened and what was found of it; needs nothing open."""
        ...

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables and figures for these trials; needs no open benchmark."""
        ...

    @staticmethod
    def compare(
        runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]],
    ) -> Summary:
        """What the paper shows over several runs, each with its settings; mostly nothing."""
        ...

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """What a run's trials answered, by task id, for the file that it leaves.

        Benchmarks that are not answered in a file give none, and read no trajectory.

        Args:
            trajectories: each task's id with what happened in its first trial.
        """
        ...

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        """An agent that knows the gold; it must pass every shipped task."""
        ...

    def fingerprints(self) -> dict[str, str]:
        """What the tasks were run against (databases), by name, as content hashes."""
        ...

    def training_databases(self) -> Mapping[str, str]:
        """Where an agent may be trained before the run: locations of databases, by name.

        Empty where no single question has a query to learn from.
        """
        ...

    def close(self) -> None:
        """Gives back databases and models."""
        ...
