"""A trial's own database, and which of its two requests is being worked on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from wardround.benchmarks.interact.grader import Verdict
from wardround.benchmarks.interact.tasks import InteractHidden, Subtask
from wardround.benchmarks.interact.test_programs.statements import Start, read_submission
from wardround.ehr.database import ResultTable, Workspace

Grade: TypeAlias = Callable[[Subtask, str, Start], Verdict]


@dataclass(frozen=True, slots=True)
class Submission:
    """What was submitted for one of the two requests, and how it did."""

    stage: int
    sql: str
    verdict: Verdict


class Case:
    """The two requests of a task, done one after the other on a database of one's own.

    The second is released when the first is done, and begins with what the first has left.

    Args:
        hidden: The task.
        workspace: The database, as everybody has it; it is closed with the case.
        grade: Judges statements on the database as it was before them.
        seconds: The deadline of each statement.
        keeps: Whether what the agent's statements change stays until something is submitted.

    Attributes:
        stage: 1 or 2, the request that is being worked on.
        submissions: What was submitted, in order.
        executed: What the present action has run last; "" where nothing.
    """

    def __init__(
        self,
        hidden: InteractHidden,
        workspace: Workspace,
        grade: Grade,
        seconds: float,
        *,
        keeps: bool = True,
    ) -> None:
        self._hidden = hidden
        self._workspace = workspace
        self._grade = grade
        self._seconds = seconds
        self._keeps = keeps
        self._begin: tuple[str, ...] = hidden.before
        self.stage = 1
        self.submissions: list[Submission] = []
        self.executed = ""

    def open(self) -> None:
        """Prepares the database for the task."""
        self.begin_again()

    @property
    def subtask(self) -> Subtask:
        """The request that is being worked on."""
        second = self._hidden.second
        return second if self.stage == 2 and second else self._hidden.first

    @property
    def done(self) -> bool:
        """Whether all that was asked has been carried out."""
        last = self.submissions[-1] if self.submissions else None
        return bool(last and last.verdict.passed and self.stage == last.stage)

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

    def submit(self, sql: str) -> Verdict:
        """Judges what the agent submits, on the database as it was before the agent wrote to it.

        Once the first request is done the second one begins. The database is then, and after a
        failure, as it was when the request was made: what was tried since is gone (published).
        Nobody looks at it once all is done.
        """
        self.begin_again()
        verdict = self._grade(self.subtask, sql, self._start)
        self.submissions.append(Submission(self.stage, sql, verdict))
        if verdict.passed and self.stage == 1 and self._hidden.second:
            self._begin = (*self._begin, *verdict.statements)
            self.stage = 2
        if not self.done:
            self.begin_again()
        return verdict

    def begin_again(self) -> None:
        """Puts the database back to what it was when the present request was made."""
        self._start.restore()

    def close(self) -> None:
        """Forgets the database."""
        self._workspace.close()

    @property
    def _start(self) -> Start:
        return Start(self._workspace, self._begin, self._seconds)
