"""A finished trial as one line of a run: outcome, scores, counts and costs."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from wardround.core.serialization import to_line
from wardround.core.trajectory import Requested


class Outcome(StrEnum):
    """How a trial ended; only the first two count towards success rates."""

    PASSED = "passed"
    FAILED = "failed"
    USER_ERROR = "user_error"
    INFRA_ERROR = "infra_error"
    UNSCORED = "unscored"

    @property
    def scored(self) -> bool:
        """Whether the trial belongs in the denominator of a success rate."""
        return self in (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class RoleUse:
    """What one role's model requests came to. `cost` is US dollars, None when not known."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes of a trajectory in `trajectories.jsonl`."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class RejectedAttempt:
    """An attempt that does not count because the simulated person broke its rules."""

    reason: str
    trajectory: ByteRange


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One finished trial.

    Attributes:
        task: the task's id.
        trial: the trial's number, from 0.
        seed: the trial's own seed.
        outcome: how it ended.
        reason: why, where the outcome alone does not say it.
        ending: why the loop stopped; empty when it never ran.
        scores: reward by grading mode, 0 to 1.
        labels: the task's groups in reports.
        counts: turns of each kind: "user_turns", "tool_calls", "actions", "attempts".
        use: what each role's model requests came to.
        seconds: wall-clock time of the trial, all attempts together.
        trajectory: the bytes of the trajectory.
        rejected: earlier attempts that were run again.
        measures: what else the scorer found, in fields of the benchmark's own, as JSON values.
    """

    task: str
    trial: int
    seed: int
    outcome: Outcome
    reason: str
    ending: str
    scores: dict[str, float]
    labels: dict[str, str]
    counts: dict[str, int]
    use: dict[str, RoleUse]
    seconds: float
    trajectory: ByteRange
    rejected: tuple[RejectedAttempt, ...] = field(default=())
    measures: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """What makes a trial the same trial in a resumed run."""
        return (self.task, self.trial)


def record_to_json(record: TrialRecord) -> bytes:
    """The record as one line of JSON, without the line's end."""
    return to_line(record)


def record_from_json(line: bytes) -> TrialRecord:
    """The inverse of `record_to_json`.

    Raises:
        pydantic.ValidationError: the line is not a trial.
    """
    return _adapter().validate_json(line)


def use_by_role(requests: Iterable[Requested]) -> dict[str, RoleUse]:
    """Adds up model requests by role; one unknown price makes the role's cost unknown."""
    totals: dict[str, RoleUse] = {}
    for request in requests:
        totals[request.role] = _plus(totals.get(request.role, RoleUse()), request)
    return totals


def _plus(use: RoleUse, request: Requested) -> RoleUse:
    known = use.cost is not None and request.cost is not None
    return RoleUse(
        use.requests + 1,
        use.input_tokens + request.input_tokens,
        use.output_tokens + request.output_tokens,
        (use.cost or 0.0) + (request.cost or 0.0) if known else None,
        use.seconds + request.seconds,
    )


@cache
def _adapter() -> TypeAdapter[TrialRecord]:
    return TypeAdapter(TrialRecord)
