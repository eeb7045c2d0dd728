"""What ties a benchmark together: tasks, environment, review, score, summary and oracle."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias

from wardround.core.declaration import Opening
from wardround.core.environment import Agent, Environment
from wardround.core.figures import Figure
from wardround.core.limits import Limits
from wardround.core.record import TrialRecord
from wardround.core.task import Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Ledger, Trajectory


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What an environment is built with, beside its task.

    `lessons` are the validator's explanations of what the simulated person did wrong in
    earlier attempts at the same trial; `trajectory` is where the room's models record requests.
    `recorded` is set when a trial is replayed: its people say what they said there.
    """

    seed: int
    limits: Limits
    trajectory: Trajectory
    lessons: tuple[str, ...] = ()
    recorded: Trajectory | None = None


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an agent is built with, beside its briefing: its seed and where its requests go."""

    seed: int
    ledger: Ledger


AgentMaker: TypeAlias = Callable[[Briefing, AgentContext], Agent]


@dataclass(frozen=True, slots=True)
class Review:
    """A validator's verdict on the simulated people of a trial."""

    verdict: Literal["valid", "user_error", "undecided"] = "valid"
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A trial's grade: whether it passed, and the reward by grading mode (0 to 1).

    `measures` are other figures of the trial that the summary needs, such as a confidence.
    """

    passed: bool
    rewards: dict[str, float]
    note: str = ""
    measures: dict[str, float] = field(default_factory=dict)


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

    async def review(
        self, task: Task[Any, Any], trajectory: Trajectory, context: TrialContext
    ) -> Review:
        """Judges whether the simulated people kept their rules."""
        ...

    def score(self, task: Task[Any, Any], trajectory: Trajectory) -> Score:
        """Grades what happened; called in a thread, needs no model."""
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
