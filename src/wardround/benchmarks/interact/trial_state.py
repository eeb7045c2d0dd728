"""A trial's state: a database that the agent may change, its current request, its submissions."""

from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass, replace

from wardround.benchmarks.interact.declaration import MODES, InteractOptions, Mode
from wardround.benchmarks.interact.prices import points_of
from wardround.benchmarks.interact.submission_grader import Grade
from wardround.benchmarks.interact.tasks import STAGES, InteractHidden, Subtask
from wardround.benchmarks.kit.submissions import Submitted
from wardround.core.trajectory import Event, StageGraded, StageStarted
from wardround.core.verdict import Verdict, program_source, state_of, verdict_key
from wardround.ehr.database import ResultTable, Workspace
from wardround.ehr.database.postgres.statements import Start, execute_submission

THANKS = "That is right, thank you."
NEXT = f"{THANKS} One more thing: "

_FIRST_FAILED = "The first request was not carried out by the strict grader."


@dataclass(frozen=True, slots=True)
class Submission:
    """The published and strict grades of a submission, and its verdicts."""

    stage: str
    paper: Grade
    strict: Grade
    verdicts: tuple[Verdict, ...]


class TrialState:
    """The progress of a trial through the two requests of a task, in its own database.

    The follow-up starts when the first request is solved, on the state that this left.

    Args:
        hidden: the hidden part of the task.
        workspace: the trial's database, which `close` closes.
        grade: grades statements on the state of the database before them.
        seconds: the time limit of each statement.
        options: the run's options: the mode, and when the database is restored.
        note: called with the events of stages that start and are graded.

    Attributes:
        stage: the current request, "first" or "second".
        submissions: the submissions, in order.
        executed: the statements that the current action ran last; "" if none.
    """

    def __init__(
        self,
        hidden: InteractHidden,
        workspace: Workspace,
        grade: Callable[[Subtask, str, Start, Mode], Grade],
        seconds: float,
        options: InteractOptions,
        note: Callable[[Event], None],
    ) -> None:
        self._hidden = hidden
        self._workspace = workspace
        self._grade = grade
        self._seconds = seconds
        self._options = options
        self._note = note
        self.stage = STAGES[0]
        self.submissions: list[Submission] = []
        self.executed = ""

    async def open(self) -> None:
        """Prepares the database for the task."""
        await to_thread(self.restore)
        self._note(StageStarted(self.stage, self.subtask.request))

    @property
    def subtask(self) -> Subtask:
        """The current request."""
        return self._hidden.requests.get(self.stage, self._hidden.first)

    @property
    def done(self) -> bool:
        """True if every request of the task is solved."""
        return any(each.paper.passed for each in self.submissions if each.stage == self.stage)

    @property
    def tries(self) -> int:
        """The number of submissions for the current request."""
        return sum(each.stage == self.stage for each in self.submissions)

    def execute(self, sql: str, rows: int) -> ResultTable:
        """Runs the agent's statements and returns the result of the last.

        Raises:
            QueryError: a statement fails; those after it are not run.
        """
        self.executed = sql
        try:
            return execute_submission(self._workspace, sql, rows, self._seconds)
        finally:
            if self._options.reset == "execute":
                self.restore()

    async def submit(self, sql: str) -> str:
        """Grades a submission on the state before the agent wrote to the database.

        When the first request is solved, the second starts. Then, and after a failure, the
        database is restored to the start of the current request, as published.

        Returns:
            The user's reply: feedback on a failure, the next request, or thanks.
        """
        submitted = Submitted(len(self.submissions) + 1, self.stage, sql)
        submission = await to_thread(self.grade, submitted)
        # Evidence reveals gold, so events do not hold it.
        events = tuple(replace(verdict, evidence="") for verdict in submission.verdicts)
        self._note(StageGraded(self.stage, events))
        if self.done and self._hidden.second and self.stage == STAGES[0]:
            self.stage = STAGES[1]
            self._note(StageStarted(self.stage, self.subtask.request))
        if self.done:
            return THANKS
        await to_thread(self.restore)
        return NEXT + self.subtask.request if submission.paper.passed else submission.paper.feedback

    def grade(self, submitted: Submitted) -> Submission:
        """Grades a submission in both modes."""
        self.stage = submitted.stage
        self.restore()
        paper = self._grade(self.subtask, submitted.sql, self._start, "paper")
        strict = self._strict_grade(submitted.sql, paper)
        points = points_of(self._options.mode, self.stage, self.tries + 1)
        verdicts = tuple(
            Verdict(
                submitted.item,
                program_source(mode),
                state_of(grade.passed),
                points,
                grade.reason,
                key=submission_key(self._hidden, submitted, mode),
                evidence=grade.evidence,
            )
            for mode, grade in zip(MODES, (paper, strict), strict=True)
        )
        self.submissions.append(Submission(self.stage, paper, strict, verdicts))
        return self.submissions[-1]

    def restore(self) -> None:
        """Restores the database to the start of the current request."""
        self._start.restore()

    def close(self) -> None:
        """Drops the database."""
        self._workspace.close()

    def _strict_grade(self, sql: str, paper: Grade) -> Grade:
        """The strict grade, computed only if it can differ from the published grade.

        Test programs are the same in both modes. A published failure is a strict failure, and a
        follow-up fails strictly if the first request did.
        """
        first = self._first_solved
        if paper.passed and self.stage == STAGES[1] and not (first and first.strict.passed):
            return Grade(False, "wrong", _FIRST_FAILED)
        if not paper.passed or self.subtask.tests:
            return paper
        self.restore()
        return self._grade(self.subtask, sql, self._start, "strict")

    @property
    def _first_solved(self) -> Submission | None:
        """The submission that solved the first request, if any."""
        passed = (s for s in self.submissions if s.stage == STAGES[0] and s.paper.passed)
        return next(passed, None)

    @property
    def _start(self) -> Start:
        first = self._first_solved if self.stage == STAGES[1] else None
        before = (*self._hidden.before, *first.paper.statements) if first else self._hidden.before
        return Start(self._workspace, before, self._seconds)


def submission_key(hidden: InteractHidden, submitted: Submitted, mode: Mode) -> str:
    """Computes the key of a submission's verdict."""
    return verdict_key(mode, submitted, hidden.requests.get(submitted.stage), hidden.before)
