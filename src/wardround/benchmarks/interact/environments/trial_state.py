"""A trial's own database, and which of its two requests is being worked on."""

from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from wardround.benchmarks.interact.environments.submissions import Submitted
from wardround.benchmarks.interact.grader import MODES, Grade, Mode
from wardround.benchmarks.interact.rewards import STAGES, points_of
from wardround.benchmarks.interact.tasks import InteractHidden, Subtask
from wardround.core.trajectory import Event, StageGraded, StageStarted
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.ehr.database import ResultTable, Workspace
from wardround.ehr.database.postgres.statements import Start, read_submission

GradeSql: TypeAlias = Callable[[Subtask, str, Start, Mode], Grade]


def source_of(mode: Mode) -> str:
    """The source of the verdicts by which a grading counts."""
    return f"program:{mode}"


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission with its grades, as published and strictly."""

    submitted: Submitted
    paper: Grade
    strict: Grade

    @property
    def stage(self) -> str:
        """The request that it was for."""
        return self.submitted.stage


class Case:
    """The two requests of a task, done one after the other on a database of one's own.

    The second is released when the first is done, and begins with what the first has left.

    Args:
        hidden: The task.
        workspace: The database, as everybody has it; it is closed with the case.
        grade: Grades statements on the database as it was before them.
        seconds: The deadline of each statement.
        mode: Which environment it is: "c", "clear" or "a".
        note: Called when a request begins and when a submission for it is graded.
        keeps: Whether what the agent's statements change stays until something is submitted.

    Attributes:
        stage: "first" or "second", the request that is being worked on.
        submissions: What was submitted, in order.
        executed: What the present action has run last; "" where nothing.
    """

    def __init__(
        self,
        hidden: InteractHidden,
        workspace: Workspace,
        grade: GradeSql,
        seconds: float,
        mode: str,
        note: Callable[[Event], None],
        *,
        keeps: bool = True,
    ) -> None:
        self._hidden = hidden
        self._workspace = workspace
        self._grade = grade
        self._seconds = seconds
        self._mode = mode
        self._note = note
        self._keeps = keeps
        self.stage = STAGES[0]
        self.submissions: list[Submission] = []
        self.executed = ""

    async def open(self) -> None:
        """Prepares the database for the task."""
        await to_thread(self.begin_again)
        self._note(StageStarted(self.stage, self.subtask.request))

    @property
    def subtask(self) -> Subtask:
        """The request that is being worked on."""
        second = self._hidden.second
        return second if self.stage == STAGES[1] and second else self._hidden.first

    @property
    def done(self) -> bool:
        """Whether all that was asked has been carried out."""
        last = self.submissions[-1] if self.submissions else None
        return bool(last and last.paper.passed and self.stage == last.stage)

    @property
    def tries(self) -> int:
        """How often something was submitted for the request that is being worked on."""
        return sum(one.stage == self.stage for one in self.submissions)

    def execute(self, sql: str, rows: int) -> ResultTable:
        """Runs statements of the agent's, up to the first that fails; the last one's result.

        Raises:
            QueryError: One of them gives no result.
        """
        self.executed = sql
        *others, last = read_submission(sql) or (sql,)
        try:
            for statement in others:
                self._workspace.execute(statement, rows=0, seconds=self._seconds)
            return self._workspace.execute(last, rows=rows, seconds=self._seconds)
        finally:
            if not self._keeps:
                self.begin_again()

    async def submit(self, sql: str) -> Grade:
        """Grades what the agent submits, on the database as it was before the agent wrote to it.

        Once the first request is done the second one begins. The database is then, and after a
        failure, as it was when the request was made: what was tried since is gone (published).
        Nobody looks at it once all is done.
        """
        submitted = Submitted(len(self.submissions) + 1, self.stage, sql)
        submission = await to_thread(self.grade, submitted)
        self._note(StageGraded(self.stage, self.verdicts(submission)))
        if submission.paper.passed and self._hidden.second and self.stage == STAGES[0]:
            self.stage = STAGES[1]
            self._note(StageStarted(self.stage, self.subtask.request))
        if not self.done:
            await to_thread(self.begin_again)
        return submission.paper

    def grade(self, submitted: Submitted) -> Submission:
        """Grades what was submitted for a request, in both modes."""
        self.stage = submitted.stage
        self.begin_again()
        paper = self._grade(self.subtask, submitted.sql, self._start, MODES[0])
        submission = Submission(submitted, paper, self._strict_grade(submitted, paper))
        self.submissions.append(submission)
        return submission

    def verdicts(self, submission: Submission) -> tuple[Verdict, ...]:
        """A submission's verdicts, as published and strictly."""
        submitted = submission.submitted
        points = points_of(self._mode, submitted.stage, self.tries)
        grades = zip(MODES, (submission.paper, submission.strict), strict=True)
        return tuple(
            Verdict(
                submitted.item,
                source_of(mode),
                state_of(grade.passed),
                points,
                grade.reason,
                key=submission_key(self._hidden, submitted, mode),
            )
            for mode, grade in grades
        )

    def begin_again(self) -> None:
        """Puts the database back to what it was when the present request was made."""
        self._start.restore()

    def close(self) -> None:
        """Forgets the database."""
        self._workspace.close()

    def _strict_grade(self, submitted: Submitted, paper: Grade) -> Grade:
        """The strict grade, found out only where it can differ from the published one.

        Test programs are the same in both modes. What failed as published counts for nothing, nor
        does a second request whose first one failed strictly.
        """
        first = self._of_first()
        if paper.passed and self.stage == STAGES[1] and not (first and first.strict.passed):
            return Grade(False, "wrong", _FIRST_FAILED)
        if not paper.passed or self.subtask.tests:
            return paper
        self.begin_again()
        return self._grade(self.subtask, submitted.sql, self._start, MODES[1])

    def _of_first(self) -> Submission | None:
        """The submission that carried out the first request, if any."""
        done = (one for one in self.submissions if one.stage == STAGES[0] and one.paper.passed)
        return next(done, None)

    @property
    def _start(self) -> Start:
        first = self._of_first() if self.stage == STAGES[1] else None
        before = (*self._hidden.before, *first.paper.statements) if first else self._hidden.before
        return Start(self._workspace, before, self._seconds)


def submission_key(hidden: InteractHidden, submitted: Submitted, mode: Mode) -> str:
    """The key of a submission's verdict."""
    first = submitted.stage == STAGES[0]
    return verdict_key(mode, submitted, hidden.first if first else hidden.second, hidden.before)


_FIRST_FAILED = "The first request was not carried out by the strict grader."
