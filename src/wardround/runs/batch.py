"""Many trials: a bounded number at once, each written down as it ends, resumable at any time."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from wardround.core.errors import UserError
from wardround.core.record import Outcome, RejectedAttempt, TrialRecord, use_by_role
from wardround.core.store import RunWriter
from wardround.core.task import Task
from wardround.core.trial import Attempt, FinishedTrial, RunTrial, count_turns

log = logging.getLogger(__name__)

Job: TypeAlias = tuple[Task[Any, Any], int]


def plan(tasks: Sequence[Task[Any, Any]], trials: int, done: Iterable[TrialRecord]) -> list[Job]:
    """The trials still to run, all tasks' first trials first.

    Going round the tasks makes a run that is stopped early a fair sample of all of them.
    """
    finished = {record.key for record in done}
    rounds = ((task, trial) for trial in range(trials) for task in tasks)
    return [(task, trial) for task, trial in rounds if (task.id, trial) not in finished]


async def run_batch(
    jobs: Sequence[Job],
    run: RunTrial,
    writer: RunWriter,
    *,
    concurrency: int = 8,
    told: Callable[[TrialRecord], None] = lambda record: None,
) -> None:
    """Runs trials, at most `concurrency` at once; a trial is on disk before it is told.

    Args:
        jobs: what to run.
        run: an awaitable of a `FinishedTrial` for a task and a trial number.
        writer: where finished trials go.
        concurrency: how many run at once.
        told: hears of each finished trial.

    Raises:
        UserError: the run's settings are wrong; what finished before is on disk.
    """
    waiting: Iterator[Job] = iter(jobs)

    async def work() -> None:
        for task, trial in waiting:
            record = write_down(await run(task, trial), writer)
            log.info("task %s, trial %d: %s after %s", *record.key, record.outcome, record.counts)
            told(record)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(jobs))):
                group.create_task(work())
    except* UserError as errors:
        # Every trial that was under way met the same mistake; saying it once is enough.
        raise errors.exceptions[0] from None


def write_down(finished: FinishedTrial, writer: RunWriter) -> TrialRecord:
    """Writes a finished trial with its attempts' trajectories, and returns its record."""
    *rejected, last = finished.attempts
    earlier = tuple(
        RejectedAttempt(attempt.reason, writer.add_trajectory(attempt.trajectory))
        for attempt in rejected
    )
    record = _record(finished, last, earlier, writer)
    writer.add_trial(record)
    return record


def _record(
    finished: FinishedTrial,
    last: Attempt,
    earlier: tuple[RejectedAttempt, ...],
    writer: RunWriter,
) -> TrialRecord:
    requests = chain.from_iterable(a.trajectory.requests() for a in finished.attempts)
    return TrialRecord(
        task=finished.task.id,
        trial=finished.trial,
        seed=finished.seed,
        outcome=last.outcome or Outcome.UNSCORED,
        reason=last.reason,
        ending=last.ending,
        scores=last.rewards or {},
        labels=dict(finished.task.labels),
        counts={**count_turns(last.trajectory), "attempts": len(finished.attempts)},
        use=use_by_role(requests),
        seconds=finished.seconds,
        trajectory=writer.add_trajectory(last.trajectory),
        rejected=earlier,
        measures=last.measures or {},
    )


def pass_rate(records: Iterable[TrialRecord]) -> float | None:
    """The share of scored trials that passed; None when none was scored."""
    scored = [record.outcome for record in records if record.outcome.scored]
    return scored.count(Outcome.PASSED) / len(scored) if scored else None
