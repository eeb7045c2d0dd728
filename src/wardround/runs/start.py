"""Starts a run in a new folder and carries it out."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.capabilities import CostEstimator, Predictor
from wardround.core.current_time import CurrentTime
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole
from wardround.core.record import TrialRecord
from wardround.core.run_reader import STARTED, read_trajectory, read_trials
from wardround.core.run_writer import CONFIDENCES, PREDICTIONS, RunWriter, new_run
from wardround.core.task import Defect, Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import FinishedTrial
from wardround.runs.batch import plan, run_batch
from wardround.runs.open_run import OpenRun, opened, with_threads
from wardround.runs.played import Unjudged
from wardround.runs.settings import RunSettings
from wardround.runs.trials import Trials


@dataclass(frozen=True, slots=True)
class Started:
    """A run before its first trial.

    Attributes:
        folder: Its folder.
        jobs: The number of remaining trials.
        done: The finished trials.
        defects: Tasks that were left out.
        cost: A sentence about what the trials' queries cost; "" if they are free.
        times: A sentence for each current time that was taken from the records.
    """

    folder: Path
    jobs: int
    done: tuple[TrialRecord, ...]
    defects: tuple[Defect, ...]
    cost: str = ""
    times: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Called with the progress of a run.

    Attributes:
        started: Called before the first trial.
        finished: Called with each finished trial.
        training: Called with each step of training the agent before the run.
    """

    started: Callable[[Started], None]
    finished: Callable[[TrialRecord], None]
    training: Callable[[str], None] = lambda step: None


def start_run(settings: RunSettings, folder: Path, listener: Listener, *, force: bool) -> None:
    """Starts a run in a new folder and carries it out.

    Raises:
        UserError: a part of the run cannot be opened, or the folder holds files.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    with opened(settings, folder, listener.training) as run:
        work = _carry_out_in(folder, run, listener, force=force)
        asyncio.run(with_threads(work, settings.concurrency))


async def start_run_here(
    settings: RunSettings,
    folder: Path,
    listener: Listener,
    *,
    force: bool,
    agent: AgentMaker | None = None,
) -> None:
    """Starts a run and carries it out in the running event loop, without changing its threads.

    Args:
        settings: the run's settings; `agent` is only a label if a maker is given.
        folder: the run's folder.
        listener: called with its progress.
        force: replaces a run in the folder.
        agent: the maker that replaces the agent named in the settings.

    Raises:
        UserError: as `start_run`, or a maker is combined with several processes.
    """
    if agent is not None and settings.processes > 1:
        raise UserError(
            "An agent that is a Python object runs in one process: leave out processes, or name "
            "the agent as module:function."
        )
    with opened(settings, folder, listener.training, agent) as run:
        await _carry_out_in(folder, run, listener, force=force)


def next_folder(settings: RunSettings) -> Path:
    """The first free `runs/BENCHMARK-AGENT-NUMBER`."""
    name = re.sub(r"[^\w.-]+", "-", f"{settings.benchmark}-{settings.agent}")
    number = 1
    while (folder := Path("runs") / f"{name}-{number}").exists():
        number += 1
    return folder


async def _carry_out_in(folder: Path, run: OpenRun, listener: Listener, *, force: bool) -> None:
    """Carries out a run in a new folder, which is created once all its parts are open."""
    async with run.trials() as trials:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        with new_run(folder, {**run.described(), STARTED: started}, force=force) as writer:
            await carry_out(run, trials, writer, listener)


async def carry_out(
    run: OpenRun,
    trials: Trials,
    writer: RunWriter,
    listener: Listener,
    done: tuple[TrialRecord, ...] = (),
    unjudged: Sequence[Unjudged] = (),
    unvalidated: Mapping[tuple[str, int], FinishedTrial] = MappingProxyType({}),
) -> None:
    """Runs all remaining trials, and judges those that were only played."""
    over = (*done, *(trial.record for trial in unjudged))
    jobs = plan(run.suite.tasks, run.settings.trials, over)
    count = len(jobs) + len(unjudged)
    cost = await asyncio.to_thread(_estimated_cost, run.benchmark, [task for task, _ in jobs])
    times = tuple(_time_sentences(run.current_times()))
    listener.started(Started(writer.folder, count, done, run.suite.defects, cost, times))
    await run_batch(
        jobs,
        trials,
        writer,
        run.benchmark.score,
        unjudged=unjudged,
        unvalidated=unvalidated,
        grading=run.settings.grading,
        concurrency=run.settings.concurrency,
        judges=run.settings.judged_at_once,
        on_finished=listener.finished,
    )
    write_predictions(writer.folder, run.benchmark)


def _time_sentences(times: Mapping[str, CurrentTime]) -> Iterator[str]:
    for name, now in times.items():
        if now.reason:
            yield (
                f"The current time for {name} is {now.time}: {now.reason}; --current-time sets "
                "another."
            )


def _estimated_cost(benchmark: Benchmark, tasks: Sequence[Task[Any, Any]]) -> str:
    return benchmark.estimated_cost(tasks) if isinstance(benchmark, CostEstimator) else ""


def write_predictions(folder: Path, benchmark: Benchmark) -> None:
    """Writes `predictions.json`, and `confidences.json` if the agent gave confidences.

    The first trial of a task counts; trials without an answer are omitted.
    """
    if not isinstance(benchmark, Predictor):
        return
    predictions = benchmark.predictions(_first_trials(folder))
    confidences = {id: p.confidence for id, p in predictions.items() if p.confidence is not None}
    if predictions:
        _write(folder / PREDICTIONS, {id: p.answer for id, p in predictions.items()})
    if confidences:
        _write(folder / CONFIDENCES, confidences)


def _first_trials(folder: Path) -> Iterator[tuple[str, Trajectory]]:
    for record in read_trials(folder):
        if record.trial == 0:
            yield record.task, read_trajectory(folder, record.trajectory)


def _write(path: Path, content: dict[str, Any]) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
