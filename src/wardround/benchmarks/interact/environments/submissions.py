"""The submissions that an environment graded, as the trajectory has them."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.benchmarks.interact.prices import SUBMIT
from wardround.core.trajectory import Called, StageGraded, Trajectory


@dataclass(frozen=True, slots=True)
class Submitted:
    """SQL that was graded, the stage that it was for, and its number in the trial, from 1."""

    number: int
    stage: str
    sql: str

    @property
    def item(self) -> str:
        """The submission's name in verdicts."""
        return item_of(self.number)


def item_of(number: int) -> str:
    """The name in verdicts of a trial's submission of this number."""
    return f"submission {number}"


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
