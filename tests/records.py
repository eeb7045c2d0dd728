"""Records of trials that differ in a few fields."""

from dataclasses import replace
from typing import Any

from wardround.core.record import ByteRange, Outcome, TrialRecord

_PASSED = TrialRecord(
    *("t0", 0, 0, Outcome.PASSED, "", "finished"),
    *({}, {}, {}, {}, 1.0, ByteRange(0, 0)),
)


def trial_record(
    task: str = "t0", trial: int = 0, outcome: Outcome = Outcome.PASSED, **changes: Any
) -> TrialRecord:
    """The record of a finished trial, with some of its fields."""
    return replace(_PASSED, task=task, trial=trial, outcome=outcome, **changes)
