"""Plays and judges many trials with bounded concurrency, and writes each as it ends."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from errno import EDQUOT, EFBIG, EIO, ENOSPC, EROFS
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_writer import RunWriter
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial, Scorer
from wardround.runs.played import Unjudged, judge_and_write, scored_record, write_played
from wardround.runs.trials import Trials

log = logging.getLogger(__name__)

_FULL = {ENOSPC, EDQUOT, EFBIG, EROFS, EIO}

Job: TypeAlias = tuple[Task[Any, Any], int]


def plan(tasks: Sequence[Task[Any, Any]], trials: int, done: Iterable[TrialRecord]) -> list[Job]:
    """The remaining trials, starting with the first trial of every task.

    In this order an interrupted run is a fair sample of all tasks.
    """
    finished = {record.key for record in done}
    rounds = ((task, trial) for trial in range(trials) for task in tasks)
    return [(task, trial) for task, trial in rounds if (task.id, trial) not in finished]


async def run_batch(
    jobs: Sequence[Job],
    trials: Trials,
    writer: RunWriter,
    scorer: Scorer,
    *,
    unjudged: Sequence[Unjudged] = (),
    unvalidated: Mapping[tuple[str, int], FinishedTrial] = MappingProxyType({}),
    grading: str = "",
    concurrency: int = 8,
    judges: int = 8,
    on_finished: Callable[[TrialRecord], None] = lambda record: None,
) -> None:
    """Plays and judges trials; each is on disk before it is judged and before it is reported.

    Judging has its own concurrency, so that players do not wait for judges. While all judges are
    busy, played trials are queued and no new ones are played.

    Args:
        jobs: the trials to play.
        trials: plays and judges.
        writer: writes trials and verdicts.
        scorer: computes a score from verdicts.
        unjudged: trials that were played earlier and only need judging.
        unvalidated: earlier attempts at trials to play, whose last one only needs validation.
        grading: the grading that decides what passes.
        concurrency: the number of trials played at once.
        judges: the number of trials judged at once.
        on_finished: called with each finished trial.

    Raises:
        UserError: the run's settings are wrong or its disk is full; finished trials are on disk.
    """
    waiting: Iterator[Job] = iter(jobs)
    played: asyncio.Queue[Unjudged | None] = asyncio.Queue(judges)
    players, judges = min(concurrency, len(jobs)), min(judges, len(jobs) + len(unjudged))

    def finish(record: TrialRecord) -> None:
        writer.add_trial(record)
        log.info("task %s, trial %d: %s after %s", *record.key, record.outcome, record.counts)
        on_finished(record)

    async def play() -> None:
        for task, trial in waiting:
            finished = await trials.play(task, trial, unvalidated.get((task.id, trial)))
            written = write_played(finished, writer)
            if isinstance(written, TrialRecord):
                finish(written)
            else:
                await played.put(written)

    async def judge() -> None:
        while (trial := await played.get()) is not None:
            problem = await judge_and_write(trials.judge, trial, writer)
            finish(scored_record(scorer, trial, grading, problem))

    async def play_all() -> None:
        for trial in unjudged:
            await played.put(trial)
        async with asyncio.TaskGroup() as group:
            for _ in range(players):
                group.create_task(play())
        for _ in range(judges):
            await played.put(None)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(judges):
                group.create_task(judge())
            group.create_task(play_all())
    except BaseExceptionGroup as errors:
        # Every running trial met the same fault; report it once.
        raise _cause(errors, writer.folder) from errors


def pass_rate(records: Iterable[TrialRecord]) -> float | None:
    """The share of scored trials that passed; None if none was scored."""
    scored = [record.outcome for record in records if record.outcome.scored]
    return scored.count(Outcome.PASSED) / len(scored) if scored else None


def _cause(errors: BaseExceptionGroup[BaseException], folder: Path) -> BaseException:
    """The error that ended a batch: a `UserError` if there is one, else the first."""
    leaves = list(_leaves(errors))
    for error in leaves:
        if isinstance(error, UserError):
            return error
    first = leaves[0]
    if isinstance(first, OSError) and first.errno in _FULL:
        return UserError(
            f"{folder} cannot be written ({first.strerror}); free some space, then continue with "
            f"wardround resume {folder}."
        )
    return first


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for each in error.exceptions:
        yield from _leaves(each)
