"""Starts and resumes runs: opens what they name, carries out what is missing, writes it down."""

import asyncio
import platform
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from wardround import __version__
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.store import RunWriter, create_run, read_settings, read_trials
from wardround.core.task import Defect, Suite, Task, digest
from wardround.core.trial import FinishedTrial, RunTrial, run_trial
from wardround.models.roles import RoleModels
from wardround.runs.batch import plan, run_batch
from wardround.runs.components import AgentSource, open_benchmark, open_models, train_agent
from wardround.runs.predictions import write_predictions
from wardround.runs.settings import RunSettings
from wardround.runs.workers import shared

Result = TypeVar("Result")

MOST_THREADS = 64
PYTHON_OBJECTS = "python_objects"  # marks a run of which parts were given as Python objects


@dataclass(frozen=True, slots=True)
class Started:
    """What a run is about to do, told before it does it."""

    folder: Path
    jobs: int
    done: tuple[TrialRecord, ...]
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class Listener:
    """Who hears of a run's progress.

    Attributes:
        training: Called with each step of training the agent before the run.
    """

    started: Callable[[Started], None]
    finished: Callable[[TrialRecord], None]
    training: Callable[[str], None] = lambda step: None


def start_run(settings: RunSettings, folder: Path, listener: Listener, *, force: bool) -> None:
    """Starts a run in a new folder and carries it out.

    Raises:
        UserError: something that the run names cannot be opened, or the folder is taken.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    with _opened(settings, listener.training) as run:
        create_run(folder, run.described(), force=force)
        asyncio.run(with_threads(run.carry_out(folder, listener, done=()), settings.concurrency))


async def start_run_here(
    settings: RunSettings,
    folder: Path,
    listener: Listener,
    *,
    force: bool,
    agent: AgentMaker | None = None,
) -> None:
    """Starts a run and carries it out in the running event loop, whose threads stay as they are.

    Args:
        settings: the run; its `agent` is a label if a maker is given.
        folder: where it is written.
        listener: hears of its progress.
        force: replaces a run in the folder.
        agent: makes the agents in place of what the settings name.

    Raises:
        UserError: as `start_run`, or agents from a maker are to be shared among processes.
    """
    if agent is not None and settings.processes > 1:
        raise UserError(
            "An agent that is a Python object runs in one process: leave out processes, or name "
            "the agent as module:function."
        )
    with _opened(settings, listener.training, agent) as run:
        marked = {} if agent is None else {PYTHON_OBJECTS: ["agent"]}
        create_run(folder, {**run.described(), **marked}, force=force)
        await run.carry_out(folder, listener, done=())


def next_folder(settings: RunSettings) -> Path:
    """The first free `runs/BENCHMARK-AGENT-NUMBER`."""
    name = f"{settings.benchmark}-{settings.agent.replace(':', '-')}"
    number = 1
    while (folder := Path("runs") / f"{name}-{number}").exists():
        number += 1
    return folder


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
    if before.get(PYTHON_OBJECTS):
        raise UserError(
            f"{folder} has an agent that was a Python object and is not kept in the run, so it "
            "cannot be resumed; start a new run."
        )
    settings = settings_of(folder)
    with _opened(settings, listener.training) as run:
        _check_unchanged(folder, before, run.described())
        done = tuple(record for record in read_trials(folder) if record.outcome not in again)
        asyncio.run(with_threads(run.carry_out(folder, listener, done), settings.concurrency))


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
    trained: Mapping[str, Path]

    async def carry_out(
        self, folder: Path, listener: Listener, done: tuple[TrialRecord, ...]
    ) -> None:
        """Runs all trials but those that are done."""
        jobs = plan(self.suite.tasks, self.settings.trials, done)
        with RunWriter(folder) as writer:
            listener.started(Started(folder, len(jobs), done, self.suite.defects))
            async with self._trials() as run:
                await run_batch(
                    jobs,
                    run,
                    writer,
                    concurrency=self.settings.concurrency,
                    told=listener.finished,
                )
            write_predictions(folder, self.benchmark)

    def _trials(self) -> AbstractAsyncContextManager[RunTrial]:
        """The run's trials, here or shared among processes."""
        if self.settings.processes > 1:
            opener = partial(_trials_elsewhere, self.settings, self.trained)
            return shared(opener, self.settings.processes)
        return self.trials()

    @asynccontextmanager
    async def trials(self) -> AsyncIterator[RunTrial]:
        """The run's trials in this process."""
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
            grading=self.settings.grading,
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


async def with_threads(work: Awaitable[Result], concurrency: int) -> Result:
    """Awaits work in an event loop of the run's own, with a thread for each trial at once."""
    _use_threads(concurrency)
    return await work


def _use_threads(concurrency: int) -> None:
    # Each trial waits for one statement or search at a time, so it needs one thread at most.
    threads = ThreadPoolExecutor(min(concurrency, MOST_THREADS), "wardround")
    asyncio.get_running_loop().set_default_executor(threads)


@contextmanager
def _opened(
    settings: RunSettings, progress: Callable[[str], None], agent: AgentMaker | None = None
) -> Iterator[_OpenRun]:
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        trained = {} if agent else train_agent(settings, benchmark, progress)
        agents = AgentSource(settings, benchmark, models, trained, agent)
        yield _OpenRun(settings, models, benchmark, suite, agents, trained)
    finally:
        benchmark.close()


@asynccontextmanager
async def _trials_elsewhere(
    settings: RunSettings, trained: Mapping[str, Path]
) -> AsyncIterator[RunTrial]:
    """A run's trials in a process of their own, which gets its tasks one by one."""
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    agents = AgentSource(settings, benchmark, models, trained)
    _use_threads(settings.concurrency)
    try:
        opened = _OpenRun(settings, models, benchmark, Suite(()), agents, trained)
        async with opened.trials() as run:
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
