"""Trials as a run records them."""

from collections.abc import Mapping
from typing import Any

from wardround.core.record import ByteRange, Outcome, TrialRecord


def recorded(measures: Mapping[str, Any]) -> TrialRecord:
    """A trial with these measures."""
    return TrialRecord(
        task="1",
        trial=0,
        seed=0,
        outcome=Outcome.FAILED,
        reason="",
        ending="",
        scores={},
        labels={},
        counts={},
        use={},
        seconds=0.0,
        trajectory=ByteRange(0, 0),
        measures=measures,
    )
