"""Graded submissions of a trajectory, with their stages."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.core.trajectory import Called, StageGraded, Trajectory


@dataclass(frozen=True, slots=True)
class Submitted:
    """Graded SQL with its stage and its number in the trial, from 1."""

    number: int
    stage: str
    sql: str

    @property
    def item(self) -> str:
        """The submission's name in verdicts."""
        return f"submission {self.number}"


def submitted(trajectory: Trajectory) -> Iterator[Submitted]:
    """Yields the graded submissions; malformed and refused calls are left out.

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
