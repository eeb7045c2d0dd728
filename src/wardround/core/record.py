"""The records of a run: finished trials, played trials, and verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from wardround.core.serialization import to_line
from wardround.core.trajectory import Requested
from wardround.core.verdict import Verdict


class Outcome(StrEnum):
    """The outcome of a trial; only the first two count towards success rates."""

    PASSED = "passed"
    FAILED = "failed"
    USER_ERROR = "user_error"
    INFRA_ERROR = "infra_error"
    UNSCORED = "unscored"

    @property
    def scored(self) -> bool:
        """True if the trial belongs in the denominator of a success rate."""
        return self in (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class RoleUse:
    """Totals of one role's model requests; `cost` in US dollars; None for what is unknown."""

    requests: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
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
class PlayedTrial:
    """A trial whose last attempt counts, before it is judged.

    It is stored with that attempt's trajectory, so that a resumed run only judges a trial whose
    judging was interrupted, and does not play it again.
    """

    task: str
    trial: int
    seed: int
    ending: str
    seconds: float
    rejected: tuple[RejectedAttempt, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        """The identity of the trial within the run: task and number."""
        return (self.task, self.trial)


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """A verdict on a trial, as a line of `verdicts.jsonl`.

    Attributes:
        task: the task's id.
        trial: the trial's number.
        trajectory: the bytes of the judged trajectory.
        verdict: the verdict.
        judge: the name of its set of verdicts; empty for the run's own.
        use: totals of the requests for it, by role.
    """

    task: str
    trial: int
    trajectory: ByteRange
    verdict: Verdict
    judge: str = ""
    use: Mapping[str, RoleUse] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One finished trial.

    Attributes:
        task: the task's id.
        trial: the trial's number, from 0.
        seed: the trial's own seed.
        outcome: the outcome.
        reason: the reason, if the outcome alone does not tell.
        ending: why the loop stopped; empty if it never ran.
        scores: reward by grading mode, 0 to 1.
        labels: the task's groups in reports.
        counts: turns of each kind: "user_turns", "tool_calls", "actions", "attempts".
        use: totals of model requests by role.
        seconds: wall-clock time of the trial, all attempts together.
        trajectory: the bytes of the trajectory.
        rejected: earlier attempts that were run again.
        measures: further figures of the scorer, as JSON values; fields depend on the benchmark.
    """

    task: str
    trial: int
    seed: int
    outcome: Outcome
    reason: str
    ending: str
    scores: Mapping[str, float]
    labels: Mapping[str, str]
    counts: Mapping[str, int]
    use: Mapping[str, RoleUse]
    seconds: float
    trajectory: ByteRange
    rejected: tuple[RejectedAttempt, ...] = field(default=())
    measures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """The identity of the trial within the run: task and number."""
        return (self.task, self.trial)


def by_task(trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The trials of each task, in the order of their numbers."""
    tasks: dict[str, list[TrialRecord]] = {}
    for trial in sorted(trials, key=lambda trial: trial.trial):
        tasks.setdefault(trial.task, []).append(trial)
    return tasks


def record_to_json(record: TrialRecord | VerdictRecord) -> bytes:
    """The record as one line of JSON, without the newline."""
    return to_line(record)


def record_from_json(line: bytes) -> TrialRecord:
    """The inverse of `record_to_json`.

    Raises:
        pydantic.ValidationError: the line is not a trial.
    """
    record: TrialRecord = _adapter(TrialRecord).validate_json(line)
    return record


def verdict_from_json(line: bytes) -> VerdictRecord:
    """The inverse of `record_to_json` for a verdict.

    Raises:
        pydantic.ValidationError: the line is not a verdict.
    """
    record: VerdictRecord = _adapter(VerdictRecord).validate_json(line)
    return record


def played_from_json(value: object) -> PlayedTrial:
    """Reads a played trial from the JSON value at the head of its trajectory.

    Raises:
        pydantic.ValidationError: the value is not a played trial.
    """
    played: PlayedTrial = _adapter(PlayedTrial).validate_python(value)
    return played


def use_by_role(requests: Iterable[Requested]) -> dict[str, RoleUse]:
    """Adds up model requests by role; one unknown price makes the role's cost unknown."""
    totals: dict[str, RoleUse] = {}
    for request in requests:
        totals[request.role] = _plus(totals.get(request.role, RoleUse()), request)
    return totals


def added_use(*uses: Mapping[str, RoleUse]) -> dict[str, RoleUse]:
    """The sum of several uses by role."""
    totals: dict[str, RoleUse] = {}
    for use in uses:
        for role, more in use.items():
            totals[role] = _sum(totals.get(role, RoleUse()), more)
    return totals


def _plus(use: RoleUse, request: Requested) -> RoleUse:
    more = RoleUse(1, request.input_tokens, request.output_tokens, request.cost, request.seconds)
    return _sum(use, more)


def _sum(use: RoleUse, more: RoleUse) -> RoleUse:
    has_cost = use.cost is not None and more.cost is not None
    return RoleUse(
        use.requests + more.requests,
        _known_sum(use.input_tokens, more.input_tokens),
        _known_sum(use.output_tokens, more.output_tokens),
        (use.cost or 0.0) + (more.cost or 0.0) if has_cost else None,
        use.seconds + more.seconds,
    )


def _known_sum(count: int | None, more: int | None) -> int | None:
    return None if count is None or more is None else count + more


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
