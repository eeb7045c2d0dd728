"""Submitted SQL: as a trajectory has it, and with its grades and verdicts."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.benchmarks.interact.declaration import MODES, Mode
from wardround.benchmarks.interact.grader import Grade
from wardround.benchmarks.interact.prices import STAGES, SUBMIT
from wardround.benchmarks.interact.tasks import InteractHidden
from wardround.core.trajectory import Called, StageGraded, Trajectory
from wardround.core.verdict import Verdict, state_of, verdict_key


@dataclass(frozen=True, slots=True)
class Submitted:
    """SQL that was graded, the stage that it was for, and its number in the trial, from 1."""

    number: int
    stage: str
    sql: str

    @property
    def item(self) -> str:
        """The submission's name in verdicts."""
        return f"submission {self.number}"


@dataclass(frozen=True, slots=True)
class Submission:
    """A graded submission.

    Attributes:
        submitted: what was submitted.
        paper: its grade as published.
        strict: its strict grade.
        hidden: the task.
        points: what it earns if it passes.
    """

    submitted: Submitted
    paper: Grade
    strict: Grade
    hidden: InteractHidden
    points: float

    @property
    def stage(self) -> str:
        """The request that it was for."""
        return self.submitted.stage

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts, as published and strictly."""
        return tuple(
            Verdict(
                self.submitted.item,
                source_of(mode),
                state_of(grade.passed),
                self.points,
                grade.reason,
                key=submission_key(self.hidden, self.submitted, mode),
            )
            for mode, grade in zip(MODES, (self.paper, self.strict), strict=True)
        )


def submitted(trajectory: Trajectory) -> Iterator[Submitted]:
    """The submissions that were graded; a call that was malformed or refused is none.

    >>> call, graded = Called(SUBMIT, {"sql": "SELECT 1"}), StageGraded("first", ())
    >>> [each.sql for each in submitted(Trajectory([call, graded, Called(SUBMIT, {"query": "?"})]))]
    ['SELECT 1']
    """
    sql, number = "", 0
    for event in trajectory.events:
        if isinstance(event, Called) and event.tool == SUBMIT:
            sql = str(event.arguments.get("sql", ""))
        elif isinstance(event, StageGraded):
            number += 1
            yield Submitted(number, event.stage, sql)


def source_of(mode: Mode) -> str:
    """The source of the verdicts of a grading mode."""
    return f"program:{mode}"


def submission_key(hidden: InteractHidden, submitted: Submitted, mode: Mode) -> str:
    """The key of a submission's verdict."""
    first = submitted.stage == STAGES[0]
    return verdict_key(mode, submitted, hidden.first if first else hidden.second, hidden.before)
