"""Optional methods of a benchmark, one protocol each; the platform works without them.

`isinstance` and `issubclass` tell whether a benchmark has one. They look at names only, so
`wardround.core.benchmark_check` compares the parameters.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from wardround.core.actions import Action
from wardround.core.benchmark import Summary, TrialContext
from wardround.core.conversation import Conversation, RubricPart
from wardround.core.current_time import CurrentTime
from wardround.core.environment import Environment
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.task import Briefing, Defect, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict

if TYPE_CHECKING:
    from wardround.core.trial import FinishedTrial


@dataclass(frozen=True, slots=True)
class Validation:
    """The validator's decision: an attempt counts only if the people kept their rules."""

    state: Literal["valid", "user_error", "undecided"] = "valid"
    explanation: str = ""


@runtime_checkable
class AttemptValidator(Protocol):
    """A benchmark whose attempts may not count; without it every attempt counts."""

    async def validate(
        self, task: Task[Any, Any], trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Decides whether the simulated people kept their rules."""
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """A failed trial with its gold, for reports only.

    Attributes:
        request: the instruction, question or request that failed.
        gold: the gold queries, or the expected answer if there is no query.
        attempt: the agent's query or message nearest to the gold; "" if there is none.
        difference: both results in short, and their first difference.
    """

    request: str
    gold: str
    attempt: str
    difference: str


@runtime_checkable
class Explainer(Protocol):
    """A benchmark that explains failed trials; without it reports show the failure's note."""

    @staticmethod
    def explain(
        task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Explanation:
        """Explains a failed trial with its gold, from trajectory and verdicts alone."""
        ...


@runtime_checkable
class SuiteChooser(Protocol):
    """A benchmark with several shipped suites, of which an option of a run names one."""

    @staticmethod
    def chosen_suite(options: Any) -> Suite:
        """The shipped suite that the options name."""
        ...


@runtime_checkable
class Comparer(Protocol):
    """A benchmark with tables over several runs."""

    @staticmethod
    def compare(
        runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]],
    ) -> Summary:
        """The paper's tables and figures over several runs, each with its settings."""
        ...


@dataclass(frozen=True, slots=True)
class Prediction:
    """An agent's answer in a trial, in the benchmark's own form, and its confidence."""

    answer: str
    confidence: float | None = None


@runtime_checkable
class Predictor(Protocol):
    """A benchmark whose runs have a file of predictions."""

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """Answers by task id, for the run's file of predictions.

        Args:
            trajectories: each task's id with the trajectory of its first trial.
        """
        ...


@runtime_checkable
class TrainingSource(Protocol):
    """A benchmark whose questions have queries that an agent may learn."""

    def training_databases(self) -> Mapping[str, str]:
        """Locations of the databases on which an agent may be trained before the run, by name."""
        ...


@runtime_checkable
class Conversational(Protocol):
    """A benchmark whose trials reports show as conversations."""

    @staticmethod
    def conversation(
        task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Conversation:
        """A trial with its gold, from trajectory and verdicts alone."""
        ...


@runtime_checkable
class RubricGraded(Protocol):
    """A benchmark whose trials are graded by trees of requirements."""

    @staticmethod
    def rubrics(task: Task[Any, Any]) -> Sequence[RubricPart]:
        """The trees, each with its name at its root."""
        ...


@dataclass(frozen=True, slots=True)
class GoldDefects:
    """The faults of a task's gold.

    Attributes:
        errors: faults that have to be mended.
        known: reported faults of tasks that stay as they were published.
    """

    errors: tuple[Defect, ...] = ()
    known: tuple[Defect, ...] = ()

    @property
    def none(self) -> bool:
        """True if there is no fault."""
        return not self.errors and not self.known


@runtime_checkable
class GoldReviewer(Protocol):
    """A benchmark that tells known faults of published golds from errors."""

    def gold_defects(self, trial: "FinishedTrial", failure: str) -> GoldDefects:
        """The faults of a gold, after its trial.

        Args:
            trial: the oracle's trial.
            failure: why it does not pass in all gradings; "" if it does or is left undecided.
        """
        ...


@runtime_checkable
class CostEstimator(Protocol):
    """A benchmark whose trials may cost money besides their models."""

    def estimated_cost(self, tasks: Sequence[Task[Any, Any]]) -> str:
        """A sentence about the cost of trials at these tasks; "" if they are free."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """A benchmark whose verdicts depend on programs beside wardround."""

    def versions(self) -> dict[str, str]:
        """Versions of the programs that decide, by name; `run.json` has them beside wardround's."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A benchmark whose questions have a current time, which may be taken from the records."""

    def current_times(self) -> Mapping[str, CurrentTime]:
        """The current time by database, after tasks are loaded; `run.json` contains it."""
        ...


@runtime_checkable
class HarmReporter(Protocol):
    """A benchmark that tells which harms its trials show; without it an assessment counts none."""

    @staticmethod
    def harms(
        trials: Sequence[TrialRecord],
    ) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """The harms that each scored trial could show, by its key, with True for those it shows."""
        ...


@runtime_checkable
class AnswerGiver(Protocol):
    """A benchmark that an audit can answer by a text; without it no constants are tried."""

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """The actions by which an agent gives a text as its answer; "" says that there is none."""
        ...


Reply: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Shows a person a message of the agent; returns their next message, None once they have left."""


@runtime_checkable
class Consultable(Protocol):
    """A benchmark whose environment serves a real person; without it an agent is not served."""

    def consultation(self, question: str, reply: Reply, context: TrialContext) -> Environment:
        """The tools and rules of a trial, with a real person in place of the simulated user.

        Args:
            question: the person's first message.
            reply: their side of the conversation.
            context: the surroundings of the conversation.
        """
        ...
