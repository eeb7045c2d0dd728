"""Starts and resumes runs: opens what they name, carries out what is missing, writes it down."""

import asyncio
import platform
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wardround import __version__
from wardround.core.benchmark import Benchmark
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.store import RunWriter, create_run, read_settings, read_trials
from wardround.core.task import Defect, Suite, Task, digest
from wardround.core.trial import FinishedTrial, RunTrial, run_trial
from wardround.models.roles import RoleModels
from wardround.runs.batch import Job, plan, run_batch
from wardround.runs.components import AgentSource, open_benchmark, open_models
from wardround.runs.predictions import write_predictions
from wardround.runs.settings import RunSettings
from wardround.runs.workers import shared

MOST_THREADS = 64


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
    with _opened(settings) as run:
        create_run(folder, run.described(), force=force)
        run.carry_out(folder, listener, done=())


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
    before = read_settings(folder)
    with _opened(settings_of(folder)) as run:
        _check_unchanged(folder, before, run.described())
        done = tuple(record for record in read_trials(folder) if record.outcome not in again)
        run.carry_out(folder, listener, done)


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


@dataclass(frozen=True, slots=True)
class _OpenRun:
    """Everything that a run needs, open."""

    settings: RunSettings
    models: RoleModels
    benchmark: Benchmark
    suite: Suite
    agents: AgentSource

    def carry_out(self, folder: Path, listener: Listener, done: tuple[TrialRecord, ...]) -> None:
        """Runs all trials but those that are done."""
        jobs = plan(self.suite.tasks, self.settings.trials, done)
        with RunWriter(folder) as writer:
            listener.started(Started(folder, len(jobs), done, self.suite.defects))
            asyncio.run(self._batch(jobs, writer, listener))
            write_predictions(folder, self.benchmark)

    async def _batch(self, jobs: list[Job], writer: RunWriter, listener: Listener) -> None:
        settings = self.settings
        async with self._trials() as run:
            await run_batch(
                jobs, run, writer, concurrency=settings.concurrency, told=listener.finished
            )

    def _trials(self) -> AbstractAsyncContextManager[RunTrial]:
        """The run's trials, here or shared among processes."""
        if self.settings.processes > 1:
            return shared(partial(_trials_elsewhere, self.settings), self.settings.processes)
        return self.trials()

    @asynccontextmanager
    async def trials(self) -> AsyncIterator[RunTrial]:
        """The run's trials in this process."""
        # Each trial waits for one statement or search at a time, so it needs one thread at most.
        threads = ThreadPoolExecutor(min(self.settings.concurrency, MOST_THREADS), "wardround")
        asyncio.get_running_loop().set_default_executor(threads)
        try:
            yield self._trial
        except asyncio.CancelledError:
            # A statement running in a thread would hold the process up to its time limit.
            self.benchmark.close()
            raise
        finally:
            await self.models.close()

    async def _trial(self, task: Task[Any, Any], trial: int) -> FinishedTrial:
        return await run_trial(
            self.benchmark,
            self.agents.for_task(task),
            task,
            trial,
            run_seed=self.settings.seed,
            limits=self.settings.limits,
            attempts=self.settings.attempts,
            grading=self.settings.deciding,
        )

    def described(self) -> dict[str, Any]:
        """What `run.json` holds: settings, versions, and what the run is run on."""
        defects = [{"where": d.where, "reason": d.reason} for d in self.suite.defects]
        return {
            "settings": self.settings.as_json(),
            "versions": {
                "wardround": __version__,
                "python": platform.python_version(),
                "pydantic-ai": version("pydantic-ai-slim"),
            },
            "tasks": {
                "source": self.suite.source,
                "count": len(self.suite.tasks),
                "digest": digest([digest(task) for task in self.suite.tasks]),
                "defects": defects,
            },
            "databases": self.benchmark.fingerprints(),
        }


@contextmanager
def _opened(settings: RunSettings) -> Iterator[_OpenRun]:
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    try:
        agents = AgentSource(settings, benchmark, models)
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        yield _OpenRun(settings, models, benchmark, suite, agents)
    finally:
        benchmark.close()


@asynccontextmanager
async def _trials_elsewhere(settings: RunSettings) -> AsyncIterator[RunTrial]:
    """A run's trials in a process of their own, which gets its tasks one by one."""
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    agents = AgentSource(settings, benchmark, models)
    try:
        async with _OpenRun(settings, models, benchmark, Suite(()), agents).trials() as run:
            yield run
    finally:
        benchmark.close()


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
