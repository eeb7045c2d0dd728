"""Starts and resumes runs: opens what they name, carries out what is missing, writes it down."""

import asyncio
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wardround import __version__
from wardround.apps.opening import AgentSource, chosen, open_benchmark
from wardround.benchmarks.settings import RunSettings
from wardround.core.batch import Job, plan, run_batch
from wardround.core.benchmark import Benchmark
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.store import RunWriter, create_run, read_settings, read_trials
from wardround.core.task import Defect, Suite, Task, digest
from wardround.core.trial import FinishedTrial, run_trial


@dataclass(frozen=True, slots=True)
class Started:
    """What a run is about to do, told before it does it."""

    folder: Path
    jobs: int
    done: tuple[TrialRecord, ...]
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears of a run's progress."""

    started: Callable[[Started], None]
    finished: Callable[[TrialRecord], None]


def start_run(settings: RunSettings, folder: Path, listener: Listener, *, force: bool) -> None:
    """Starts a run in a new folder and carries it out.

    Raises:
        UserError: something that the run names cannot be opened, or the folder is taken.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    benchmark = open_benchmark(settings)
    try:
        suite = benchmark.load(settings.tasks)
        tasks = chosen(suite.tasks, settings.limit)
        agents = AgentSource(settings, benchmark)
        create_run(folder, _described(settings, suite, tasks, benchmark), force=force)
        _carry_out(settings, folder, benchmark, agents, tasks, suite.defects, listener, ())
    finally:
        benchmark.close()


def resume_run(folder: Path, listener: Listener, *, again: frozenset[Outcome]) -> None:
    """Carries out what a run still misses, and nothing else.

    Args:
        folder: the run.
        listener: hears of its progress.
        again: outcomes whose trials are run again, such as `infra_error`.

    Raises:
        UserError: the folder is no run, or its tasks or databases have changed since.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    described = read_settings(folder)
    settings = settings_of(folder)
    benchmark = open_benchmark(settings)
    try:
        suite = benchmark.load(settings.tasks)
        tasks = chosen(suite.tasks, settings.limit)
        _check_unchanged(folder, described, _described(settings, suite, tasks, benchmark))
        done = tuple(r for r in read_trials(folder) if r.outcome not in again)
        agents = AgentSource(settings, benchmark)
        _carry_out(settings, folder, benchmark, agents, tasks, suite.defects, listener, done)
    finally:
        benchmark.close()


def settings_of(folder: Path) -> RunSettings:
    """The settings of a run.

    Raises:
        UserError: the folder is no run, or its settings are not this version's.
    """
    try:
        return RunSettings.model_validate(read_settings(folder)["settings"])
    except (KeyError, ValidationError) as error:
        raise UserError(
            f"{folder}/run.json does not hold a run's settings as version {__version__} knows "
            f"them ({type(error).__name__}); use the version that wrote it."
        ) from None


def _carry_out(
    settings: RunSettings,
    folder: Path,
    benchmark: Benchmark,
    agents: AgentSource,
    tasks: Sequence[Task[Any, Any]],
    defects: tuple[Defect, ...],
    listener: Listener,
    done: tuple[TrialRecord, ...],
) -> None:
    jobs = plan(tasks, settings.trials, done)
    with RunWriter(folder) as writer:
        listener.started(Started(folder, len(jobs), done, defects))
        asyncio.run(_batch(settings, benchmark, agents, jobs, writer, listener))


async def _batch(
    settings: RunSettings,
    benchmark: Benchmark,
    agents: AgentSource,
    jobs: list[Job],
    writer: RunWriter,
    listener: Listener,
) -> None:
    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        return await run_trial(
            benchmark,
            agents.for_task(task),
            task,
            trial,
            run_seed=settings.seed,
            limits=settings.limits,
            attempts=settings.attempts,
        )

    try:
        await run_batch(jobs, run, writer, concurrency=settings.concurrency, told=listener.finished)
    except asyncio.CancelledError:
        # A statement that is running in a thread would hold the process up to its time limit.
        benchmark.close()
        raise


def _described(
    settings: RunSettings, suite: Suite, tasks: Sequence[Task[Any, Any]], benchmark: Benchmark
) -> dict[str, Any]:
    """What `run.json` holds: settings, versions, and what the run was run on."""
    return {
        "settings": settings.as_json(),
        "versions": {
            "wardround": __version__,
            "python": platform.python_version(),
            "pydantic-ai": version("pydantic-ai-slim"),
        },
        "tasks": {
            "source": suite.source,
            "count": len(tasks),
            "digest": digest([digest(task) for task in tasks]),
            "defects": [{"where": d.where, "reason": d.reason} for d in suite.defects],
        },
        "databases": benchmark.fingerprints(),
    }


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
