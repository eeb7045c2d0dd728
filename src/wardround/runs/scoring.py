"""Scores a run from its stored verdicts: no database is opened and no model is asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter, rewrite_trials
from wardround.core.task import Task
from wardround.core.trial import JUDGING_FAILED
from wardround.runs.open_run import settings_of
from wardround.runs.played import scored_record
from wardround.runs.stored import StoredRun


@dataclass(frozen=True, slots=True)
class Rescored:
    """How many trials were scored again, and a line for each that changed or could not be."""

    scored: int
    changed: tuple[str, ...]
    kept: tuple[str, ...]


def score_run(folder: Path) -> Rescored:
    """Scores every trial that was judged, with today's scorer, and rewrites the records.

    Raises:
        UserError: the folder is no run, is being written to, or its tasks are gone.
    """
    with RunWriter(folder):
        before = read_trials(folder)
        after = records_by(folder)
        rewrite_trials(folder, after)
    return changes(before, after, folder)


def records_by(folder: Path, judge: str = "") -> list[TrialRecord]:
    """The finished trials as a set of verdicts scores them.

    Args:
        folder: the run.
        judge: the set's name; empty for the run's own verdicts.

    Raises:
        UserError: the run has no set of that name, or its tasks are gone.
    """
    stored = StoredRun(folder)
    if judge and judge not in stored.judges():
        known = ", ".join(stored.judges()) or "none but the run's own"
        raise UserError(f"{folder} has no verdicts of {judge!r}; it has {known}.")
    tasks = tasks_of(folder)
    rescored = _scorer(folder, stored, tasks, judge)
    return [rescored(record) for record in read_trials(folder)]


def tasks_of(folder: Path) -> dict[str, Task[Any, Any]]:
    """The tasks of a run's source by id, whether or not their golds can be checked here.

    Raises:
        UserError: the source is gone.
    """
    settings = settings_of(folder)
    suite = benchmark_class(settings.benchmark).read(settings.tasks)
    return {task.id: task for task in suite.tasks}


def changes(before: list[TrialRecord], after: list[TrialRecord], folder: Path) -> Rescored:
    """What scoring or judging again has changed."""
    tasks = tasks_of(folder)
    changed = tuple(
        _change(was, now)
        for was, now in zip(before, after, strict=True)
        if (was.outcome, was.scores) != (now.outcome, now.scores)
    )
    gone = (record for record in after if record.task not in tasks)
    kept = tuple(f"{r.task}:{r.trial} kept its score: its task is gone or broken" for r in gone)
    scored = sum(record.outcome.scored for record in after if record.task in tasks)
    return Rescored(scored, changed, kept)


def _scorer(
    folder: Path, stored: StoredRun, tasks: Mapping[str, Task[Any, Any]], judge: str
) -> Callable[[TrialRecord], TrialRecord]:
    settings = settings_of(folder)
    score = benchmark_class(settings.benchmark).score

    def rescored(record: TrialRecord) -> TrialRecord:
        incomplete = record.outcome is Outcome.UNSCORED and record.reason.startswith(JUDGING_FAILED)
        if incomplete or record.task not in tasks or not stored.counts(record):
            return record
        judged = stored.judged(tasks[record.task], record, judge)
        return scored_record(score, judged, settings.grading)

    return rescored


def _change(was: TrialRecord, now: TrialRecord) -> str:
    return f"{now.task}:{now.trial} was {was.outcome} {was.scores}, is {now.outcome} {now.scores}"
