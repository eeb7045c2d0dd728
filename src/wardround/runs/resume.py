"""Resumes a run: judges played trials and plays missing ones."""

import asyncio
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from wardround.core.confinement import Confinement, Kind, listed, read_confinement
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_document import writable_document
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial
from wardround.runs.open_run import AGENT_FILES, OpenRun, opened, settings_of, with_threads
from wardround.runs.played import Unjudged
from wardround.runs.start import Listener, carry_out
from wardround.runs.stored import StoredRun


def resume_run(
    folder: Path,
    listener: Listener,
    *,
    again: Collection[Outcome],
    trust: bool = False,
    cluster: str | None = None,
) -> None:
    """Plays and judges only the missing trials of a run.

    Lines that are not as they were written are moved aside first. Trials whose trajectory was
    changed are played again, and those with a changed verdict are judged again.

    Args:
        folder: the run.
        listener: called with its progress.
        again: outcomes whose trials are repeated, such as `infra_error`. For an `unscored` trial
            whose attempt counts, only its undecided items are judged again. If its validator
            could not decide whether it counts, it is validated again first.
        trust: resume a run that cannot be verified, too.
        cluster: another Ray cluster than the run's; "none" for this machine.

    Raises:
        UserError: the folder is not a run or cannot be verified, or its tasks, databases or
            agent have changed.
        KeyboardInterrupt: the user stopped the run; finished trials are on disk.
    """
    before = writable_document(folder, trust=trust).settings
    settings = settings_of(folder)
    if cluster is not None:
        settings = settings.on_cluster(None if cluster == "none" else cluster)
    confinement = read_confinement(before, settings.agent)
    if confinement.kind is Kind.OBJECT:
        raise UserError(
            f"{folder} used a Python object as its agent, which is not stored, so it "
            "cannot be resumed; start a new run."
        )
    with opened(settings, folder, listener.training) as run:
        _check_confined(folder, confinement, run.agents.confinement)
        _check_unchanged(folder, before, run.described())
        writer = RunWriter(folder, trust=trust, repair=True)
        work = _carry_out_rest(writer, run, listener, again)
        asyncio.run(with_threads(work, settings.concurrency))


async def _carry_out_rest(
    writer: RunWriter, run: OpenRun, listener: Listener, again: Collection[Outcome]
) -> None:
    folder = writer.folder
    async with run.trials() as trials:
        with writer:
            tasks = {task.id: task for task in run.suite.tasks}
            records = read_trials(folder)
            unjudged = list(_unjudged(StoredRun(folder), tasks, records, again))
            over = {trial.record.key for trial in unjudged}
            done = tuple(r for r in records if r.outcome not in again and r.key not in over)
            unvalidated = _unvalidated(StoredRun(folder), tasks, records, again)
            await carry_out(run, trials, writer, listener, done, unjudged, unvalidated)
            writer.complete()


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
    """The trials to judge: interrupted ones, and unscored ones if these are repeated."""
    interrupted = list(stored.interrupted(tasks, records))
    yield from interrupted
    over = {trial.record.key for trial in interrupted}
    for record in records if Outcome.UNSCORED in again else ():
        unscored = record.outcome is Outcome.UNSCORED and record.key not in over
        if unscored and record.task in tasks and stored.counts(record):
            yield stored.reopened(tasks[record.task], record)


def _check_confined(folder: Path, before: Confinement, now: Confinement) -> None:
    """Refuse to resume with weaker confinement than the run had before."""
    missing = tuple(name for name in before.mechanisms if name not in now.mechanisms)
    if missing:
        raise UserError(
            f"The agent of {folder} was confined by {listed(before.mechanisms)}, and here "
            f"{listed(missing)} cannot be used; resume the run where it was started."
        )


def _check_unchanged(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    changed = [
        setting
        for setting, was, is_ in (
            ("tasks", before["tasks"]["digest"], now["tasks"]["digest"]),
            ("databases", before["databases"], now["databases"]),
            ("agent's files", before.get(AGENT_FILES, ""), now.get(AGENT_FILES, "")),
        )
        if was != is_
    ]
    if changed:
        raise UserError(
            f"The {' and '.join(changed)} of {folder} have changed since the run was started, so "
            "its trials would not be comparable; start a new run."
        )
