"""The progress of a run where no terminal is: in lines, and not too many."""

from pathlib import Path

import pytest

from tests.records import trial_record
from wardround.apps.command_line import progress
from wardround.core.record import Outcome
from wardround.runs.start import Started


def test_the_time_that_remains_is_said_once_a_minute(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(progress, "monotonic", lambda: seconds)
    with progress.watched(quiet=False) as listener:
        listener.started(Started(Path("run"), 10, (trial_record("before"),), ()))
        for number in range(10):
            seconds += 45
            outcome = Outcome.PASSED if number % 2 else Outcome.FAILED
            listener.finished(trial_record(f"t{number}", outcome=outcome))
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "10 trials to run in run, 1 done before",
        "3 of 11 trials done, 66.7% passed, about 6 min left",
        "5 of 11 trials done, 60.0% passed, about 4 min left",
        "7 of 11 trials done, 57.1% passed, about 3 min left",
        "9 of 11 trials done, 55.6% passed, about 2 min left",
        "11 trials done, 54.5% passed",
    ]
