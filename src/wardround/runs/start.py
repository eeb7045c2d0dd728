"""Starts a run in a new folder and carries it out."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.core.record import TrialRecord
from wardround.core.store import RunWriter, create_run
from wardround.core.task import Defect
from wardround.runs.batch import Job, plan, run_batch
from wardround.runs.open_run import OpenRun, opened
from wardround.runs.played import Unjudged
from wardround.runs.predictions import write_predictions
from wardround.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class Started:
    """What a run is about to do."""

    folder: Path
    jobs: int
    done: tuple[TrialRecord, ...]
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """Called as a run goes on."""

    started: Callable[[Started], None]
    finished: Callable[[TrialRecord], None]


def start_run(settings: RunSettings, folder: Path, listener: Listener, *, force: bool) -> None:
    """Starts a run in a new folder and carries it out.

    Raises:
        UserError: something that the run names cannot be opened, or the folder is taken.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    with opened(settings) as run:
        create_run(folder, run.described(), force=force)
        with RunWriter(folder) as writer:
            carry_out(run, writer, listener)


def carry_out(
    run: OpenRun,
    writer: RunWriter,
    listener: Listener,
    done: tuple[TrialRecord, ...] = (),
    unjudged: Sequence[Unjudged] = (),
) -> None:
    """Runs all trials but those that are done, and judges those that were only played."""
    over = (*done, *(trial.record for trial in unjudged))
    jobs = plan(run.suite.tasks, run.settings.trials, over)
    count = len(jobs) + len(unjudged)
    listener.started(Started(writer.folder, count, done, run.suite.defects))
    asyncio.run(_batch(run, jobs, writer, listener, unjudged))
    write_predictions(writer.folder, run.benchmark)


async def _batch(
    run: OpenRun,
    jobs: Sequence[Job],
    writer: RunWriter,
    listener: Listener,
    unjudged: Sequence[Unjudged],
) -> None:
    async with run.trials() as trials:
        await run_batch(
            jobs,
            trials,
            writer,
            run.benchmark.score,
            unjudged=unjudged,
            grading=run.settings.grading,
            concurrency=run.settings.concurrency,
            told=listener.finished,
        )
