"""Finds a trial of a run by its name and shows its trajectory."""

from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.store import read_settings, read_trajectory, read_trials
from wardround.report.trace import trace


def trial_text(folder: Path, name: str, lines: int) -> str:
    """The trajectory of a trial as text, every event cut to a number of lines.

    Raises:
        UserError: the run or the trial is not there.
    """
    record = find_trial(folder, name)
    head = f"{record.task}:{record.trial} {record.outcome} {record.reason}".rstrip()
    return f"{head}\n\n{trace(read_trajectory(folder, record.trajectory), lines=lines)}"


def find_trial(folder: Path, name: str) -> TrialRecord:
    """A trial by its task's id, with `:NUMBER` when it is not the first one.

    Raises:
        UserError: the folder is no run, or has no such trial.
    """
    read_settings(folder)
    task, _, number = name.partition(":")
    for record in read_trials(folder):
        if record.task == task and str(record.trial) == (number or "0"):
            return record
    known = ", ".join(f"{r.task}:{r.trial}" for r in read_trials(folder)[:3])
    raise UserError(f"{folder} has no trial {name!r}; it has trials such as {known or 'none'}.")
