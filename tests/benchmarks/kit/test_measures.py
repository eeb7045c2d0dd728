"""Measures round-trip; unknown ones are refused with the trial's name."""

from dataclasses import asdict, dataclass

import pytest

from tests.records import trial_record
from wardround.benchmarks.kit.measures import measured
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord, record_from_json, record_to_json


@dataclass(frozen=True, slots=True)
class Steps:
    names: tuple[str, ...]
    done: bool


def a_trial(measures: object, outcome: Outcome = Outcome.PASSED) -> TrialRecord:
    assert isinstance(measures, dict)
    return trial_record("t", outcome=outcome, labels={"ward": "A"}, measures=measures)


def test_measures_round_trip() -> None:
    steps = Steps(("ask", "turn 3 ask"), True)
    trial = record_from_json(record_to_json(a_trial(asdict(steps))))
    [scored] = measured([trial], Steps)
    assert scored.measures == steps
    assert scored.labels == {"ward": "A"}


def test_unscored_trials_have_no_measures() -> None:
    assert measured([a_trial({}, Outcome.INFRA_ERROR)], Steps) == []


def test_unknown_measures_are_refused() -> None:
    with pytest.raises(UserError, match="Trial t:0 has no measures as this version writes them"):
        measured([a_trial({"turn 3 ask": 1.0})], Steps)
