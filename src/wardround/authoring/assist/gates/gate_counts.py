"""Counts of turns at the gates: tried, failed, retried and dropped."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from wardround.authoring.assist.gates.session_gates import Fault, Gate
from wardround.benchmarks.assist.sessions import TaskType
from wardround.core.benchmark import Table

Stage: TypeAlias = Literal["tried", "failed", "retried", "dropped"]
STAGES: tuple[Stage, ...] = get_args(Stage)
_SESSION = "session"  # in place of a task type, for faults of no single turn


@dataclass
class GateCounts:
    """Counts of turns by gate, reason, task type and stage; a turn is tried for no reason."""

    counts: Counter[tuple[str, str, str, Stage]] = field(default_factory=Counter)

    def tried(self, gate: Gate, arc: Sequence[TaskType]) -> None:
        """Counts the turns of a session that come to a gate."""
        for type in arc:
            self.counts[gate, "", type, "tried"] += 1

    def failed(self, faults: Sequence[Fault], arc: Sequence[TaskType], stage: Stage) -> None:
        """Counts faults as failed, and as retried or dropped."""
        for fault in dict.fromkeys(faults):
            self.refused(fault, arc)
            self.counts[fault.gate, fault.reason, _task_type(fault, arc), stage] += 1

    def refused(self, fault: Fault, arc: Sequence[TaskType]) -> None:
        """Counts a fault as failed; the turn stays as it was."""
        self.counts[fault.gate, fault.reason, _task_type(fault, arc), "failed"] += 1

    def table(self) -> Table:
        """Gate by reason by task type."""
        rows: tuple[tuple[str | int, ...], ...] = tuple(
            (gate, reason or "any", type, *(self.counts[gate, reason, type, s] for s in STAGES))
            for gate, reason, type in self._keys()
        )
        return Table("Gates", ("gate", "reason", "turn", *STAGES), rows)

    def to_json(self) -> list[list[Any]]:
        """The counts as rows, in a fixed order."""
        return [[*key, count] for key, count in sorted(self.counts.items())]

    @classmethod
    def from_json(cls, rows: Sequence[Sequence[Any]]) -> "GateCounts":
        """The counts of rows."""
        return cls(Counter({tuple(key): count for *key, count in rows}))

    @classmethod
    def total(cls, parts: Iterable["GateCounts"]) -> "GateCounts":
        """The sum of counts."""
        return cls(sum((each.counts for each in parts), Counter()))

    def _keys(self) -> Iterator[tuple[str, str, str]]:
        yield from sorted({(gate, reason, type) for gate, reason, type, _ in self.counts})


def _task_type(fault: Fault, arc: Sequence[TaskType]) -> str:
    """The task type of the turn that a fault is about."""
    return _SESSION if fault.turn is None else arc[fault.turn]
