"""Resumes a run: judges what was played, and plays what is missing."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_settings, read_trials
from wardround.core.run_writer import RunWriter
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial
from wardround.runs.open_run import OpenRun, opened, settings_of, with_threads
from wardround.runs.played import Unjudged
from wardround.runs.start import NOT_ISOLATED, Listener, carry_out
from wardround.runs.stored import StoredRun


def resume_run(folder: Path, listener: Listener, *, again: Collection[Outcome]) -> None:
    """Runs and judges the missing trials of a run, and nothing else.

    Args:
        folder: the run.
        listener: called as it goes on.
        again: outcomes whose trials are run again, such as `infra_error`. An `unscored` trial
            whose attempt counts is only judged: its undecided items are asked for again. If its
            validator could not decide whether it counts, that is asked again first.

    Raises:
        UserError: the folder is no run, or its tasks or databases have changed since.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    before = read_settings(folder)
    if before.get(NOT_ISOLATED):
        raise UserError(
            f"{folder} used a Python object as its agent, which is not stored, so it "
            "cannot be resumed; start a new run."
        )
    settings = settings_of(folder)
    with opened(settings, listener.training) as run:
        _check_unchanged(folder, before, run.described())
        work = _carry_out_rest(folder, run, listener, again)
        asyncio.run(with_threads(work, settings.concurrency))


async def _carry_out_rest(
    folder: Path, run: OpenRun, listener: Listener, again: Collection[Outcome]
) -> None:
    async with run.trials() as trials:
        with RunWriter(folder) as writer:
            tasks = {task.id: task for task in run.suite.tasks}
            records = read_trials(folder)
            unjudged = list(_unjudged(StoredRun(folder), tasks, records, again))
            over = {trial.record.key for trial in unjudged}
            done = tuple(r for r in records if r.outcome not in again and r.key not in over)
            unvalidated = _unvalidated(StoredRun(folder), tasks, records, again)
            await carry_out(run, trials, writer, listener, done, unjudged, unvalidated)


def _unvalidated(
    stored: StoredRun,
    tasks: Mapping[str, Task[Any, Any]],
    records: list[TrialRecord],
    again: Collection[Outcome],
) -> dict[tuple[str, int], FinishedTrial]:
    """The unscored trials of which it is not known yet if their last attempt counts."""
    unscored = [r for r in records if r.outcome is Outcome.UNSCORED and r.outcome in again]
    return {
        record.key: stored.unvalidated(tasks[record.task], record)
        for record in unscored
        if record.task in tasks and not stored.counts(record)
    }


def _unjudged(
    stored: StoredRun,
    tasks: Mapping[str, Task[Any, Any]],
    records: list[TrialRecord],
    again: Collection[Outcome],
) -> Iterator[Unjudged]:
    """The trials to judge: those interrupted, and unscored ones if they are to be tried again."""
    interrupted = list(stored.interrupted(tasks, records))
    yield from interrupted
    over = {trial.record.key for trial in interrupted}
    for record in records if Outcome.UNSCORED in again else ():
        unscored = record.outcome is Outcome.UNSCORED and record.key not in over
        if unscored and record.task in tasks and stored.counts(record):
            yield stored.reopened(tasks[record.task], record)


def _check_unchanged(folder: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    changed = [
        what
        for what, was, is_ in (
            ("tasks", before["tasks"]["digest"], now["tasks"]["digest"]),
            ("databases", before["databases"], now["databases"]),
        )
        if was != is_
    ]
    if changed:
        raise UserError(
            f"The {' and '.join(changed)} of {folder} have changed since the run was started, so "
            "its trials would not be comparable; start a new run."
        )
