"""Opens the parts of a run: models, benchmark, tasks, agent."""

import asyncio
import platform
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from wardround import __version__
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.capabilities import Timed, Versioned
from wardround.core.confinement import KEY, Kind
from wardround.core.current_time import CurrentTime
from wardround.core.errors import UserError
from wardround.core.injection import injected
from wardround.core.installed_packages import installed_version
from wardround.core.run_reader import read_settings
from wardround.core.session import unchanged
from wardround.core.task import Suite, digest
from wardround.core.url_passwords import known_passwords
from wardround.models.roles import RoleModels
from wardround.runs.agent_files import agent_digest
from wardround.runs.components import (
    AgentSource,
    open_benchmark,
    open_models,
    train_agent,
)
from wardround.runs.settings import RunSettings
from wardround.runs.trials import OwnTrials, Trials

Result = TypeVar("Result")

MOST_THREADS = 64
AGENT_FILES = "agent_files"  # the digest of the agent's files in `run.json`


def settings_of(folder: Path) -> RunSettings:
    """The settings of a run.

    Raises:
        UserError: the folder is not a run, or its settings are from an incompatible version.
    """
    try:
        return RunSettings.model_validate(read_settings(folder)["settings"])
    except (KeyError, ValidationError) as error:
        raise UserError(
            f"{folder}/run.json does not contain run settings that version {__version__} "
            f"can read ({type(error).__name__}); use the version that wrote it."
        ) from None


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The open parts of a run."""

    settings: RunSettings
    folder: Path
    models: RoleModels
    benchmark: Benchmark
    suite: Suite
    agents: AgentSource
    trained: Mapping[str, Path]

    def trials(self) -> AbstractAsyncContextManager[Trials]:
        """Opens the run's `Trials`, in this process, several, or a cluster."""
        if self.settings.cluster:
            return self._trials_in_cluster(self.settings.cluster)
        return self._trials_elsewhere() if self.settings.processes > 1 else self.trials_here()

    @asynccontextmanager
    async def _trials_in_cluster(self, address: str) -> AsyncIterator[Trials]:
        from wardround.runs.cluster.carried_files import carried_files
        from wardround.runs.cluster.nodes import spread
        from wardround.runs.cluster.worker import Assignment

        async with self.agents.open():  # refuse a wrong agent before asking the cluster
            pass
        run = Assignment(
            opened_elsewhere,
            self.settings,
            self.folder,
            self.trained,
            carried_files(self.settings, self.trained),
            self.identity(),
            known_passwords(),
        )
        async with spread(address, run) as trials:
            yield trials

    @asynccontextmanager
    async def _trials_elsewhere(self) -> AsyncIterator[Trials]:
        from wardround.runs.workers import shared

        async with self.agents.open():  # refuse a wrong agent before starting processes
            pass
        opener = partial(trials_elsewhere, self.settings, self.folder, self.trained)
        async with shared(opener, self.settings.processes, self.settings.seed) as trials:
            yield trials

    @asynccontextmanager
    async def trials_here(self) -> AsyncIterator[Trials]:
        """Opens `Trials` in this process."""
        try:
            async with self.agents.open():
                yield OwnTrials(
                    self.benchmark,
                    self.agents.for_task,
                    self.settings.seed,
                    self.settings.limits,
                    self.settings.attempts,
                    injected if self.settings.injected else unchanged,
                )
        except asyncio.CancelledError:
            # Otherwise a statement running on a thread would block the exit until its deadline.
            self.benchmark.close()
            raise
        finally:
            await self.models.close()

    def current_times(self) -> Mapping[str, CurrentTime]:
        """The current time of questions about each database; empty if they have none."""
        return self.benchmark.current_times() if isinstance(self.benchmark, Timed) else {}

    def described(self) -> dict[str, Any]:
        """The content of `run.json`: settings, versions, tasks, databases and confinement."""
        times = {name: each.as_json() for name, each in self.current_times().items()}
        defects = [{"where": d.where, "reason": d.reason} for d in self.suite.defects]
        return {
            "settings": self.settings.as_json(),
            "versions": self._versions(),
            "tasks": {
                "source": self.suite.source,
                "count": len(self.suite.tasks),
                "digest": digest([digest(task) for task in self.suite.tasks]),
                "defects": defects,
                **({"terms": self.suite.terms} if self.suite.terms else {}),
            },
            "databases": self.benchmark.fingerprints(),
            **({"current_times": times} if times else {}),
            KEY: self.agents.confinement.as_json(),
            **({AGENT_FILES: files} if (files := self._agent_files()) else {}),
        }

    def identity(self) -> dict[str, Any]:
        """The parts of `run.json` that every process of the run must agree on."""
        return {
            "versions": self._versions(),
            "databases": self.benchmark.fingerprints(),
            "confinement": self.agents.confinement,
            "agent's files": self._agent_files(),
        }

    def _versions(self) -> dict[str, str]:
        return {
            "wardround": __version__,
            "python": platform.python_version(),
            "pydantic-ai": installed_version("pydantic-ai-slim"),
            **(self.benchmark.versions() if isinstance(self.benchmark, Versioned) else {}),
        }

    def _agent_files(self) -> str:
        is_named = self.agents.confinement.kind is not Kind.OBJECT
        return agent_digest(self.settings) if is_named else ""


async def with_threads(work: Awaitable[Result], concurrency: int) -> Result:
    """Awaits work in a new event loop with a thread for each concurrent trial."""
    use_threads(concurrency)
    return await work


def use_threads(concurrency: int) -> None:
    """Gives the running event loop a thread for each concurrent trial."""
    # Each trial waits for one statement or search at a time, so it needs one thread at most.
    threads = ThreadPoolExecutor(min(concurrency, MOST_THREADS), "wardround")
    asyncio.get_running_loop().set_default_executor(threads)


@contextmanager
def opened(
    settings: RunSettings,
    folder: Path,
    progress: Callable[[str], None],
    agent: AgentMaker | None = None,
) -> Iterator[OpenRun]:
    """Opens a run's parts and trains its agent; closes them after the block.

    Args:
        settings: the run's settings.
        folder: the run's folder.
        progress: called with each step of training the agent.
        agent: the maker that replaces the agent named in the settings.

    Raises:
        UserError: a part of the run cannot be opened.
    """
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        trained = {} if agent else train_agent(settings, folder, benchmark, progress)
        agents = AgentSource(settings, folder, benchmark, models, trained, agent)
        yield OpenRun(settings, folder, models, benchmark, suite, agents, trained)
    finally:
        benchmark.close()


@contextmanager
def opened_elsewhere(
    settings: RunSettings, folder: Path, trained: Mapping[str, Path]
) -> Iterator[OpenRun]:
    """Opens a run's parts in a worker process, which receives its tasks one by one.

    Raises:
        UserError: a part of the run cannot be opened.
    """
    models = open_models(settings)
    benchmark = open_benchmark(settings, models)
    try:
        agents = AgentSource(settings, folder, benchmark, models, trained)
        use_threads(settings.concurrency)
        yield OpenRun(settings, folder, models, benchmark, Suite(()), agents, trained)
    finally:
        benchmark.close()


@asynccontextmanager
async def trials_elsewhere(
    settings: RunSettings, folder: Path, trained: Mapping[str, Path]
) -> AsyncIterator[Trials]:
    """Opens the `Trials` of a worker process."""
    with opened_elsewhere(settings, folder, trained) as run:
        async with run.trials_here() as trials:
            yield trials
