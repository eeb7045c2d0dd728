"""Submissions that an environment graded, stage by stage, as the trajectory has them."""

from collections.abc import Iterator
from dataclasses import dataclass

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
        return f"submission {self.number}"


def submitted(trajectory: Trajectory) -> Iterator[Submitted]:
    """The submissions that were graded; a call that was malformed or refused is none.

    >>> call, graded = Called("submit", {"sql": "SELECT 1"}), StageGraded("first", ())
    >>> list(submitted(Trajectory([call, graded, Called("submit", {"query": "?"})])))
    [Submitted(number=1, stage='first', sql='SELECT 1')]
    """
    sql, number = "", 0
    for event in trajectory.events:
        if isinstance(event, Called) and event.tool == "submit":
            sql = str(event.arguments.get("sql", ""))
        elif isinstance(event, StageGraded):
            number += 1
            yield Submitted(number, event.stage, sql)
