"""Runs of BIRD-Interact with given outcomes."""

from pathlib import Path

from tests.records import trial_record
from wardround.core.record import Outcome
from wardround.core.run_writer import new_run


def write_run(folder: Path, agent: str, marks: str) -> Path:
    """Writes a run with a trial of each of the tasks t0, t1 and so on; "1" is passed."""
    settings = {"benchmark": "interact", "agent": agent, "options": {}}
    with new_run(folder, {"settings": settings}) as writer:
        for number, mark in enumerate(marks):
            writer.add_trial(
                trial_record(
                    f"t{number}", outcome=Outcome.PASSED if mark == "1" else Outcome.FAILED
                )
            )
    return folder
