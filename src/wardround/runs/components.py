"""Opens what a run names: its benchmark, its agent, its tasks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wardround.benchmarks.settings import RunSettings
from wardround.core import plugins
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.task import Task
from wardround.models.roles import RoleModels
from wardround.runs.agent_settings import keywords_for
from wardround.runs.training import Progress, Training, trained_files

ORACLE = "oracle"

# Functions that train agents, by the agent's name.
TRAINING = "wardround.training"


def open_benchmark(settings: RunSettings, models: RoleModels) -> Benchmark:
    """The benchmark that a run names, open on its databases and people.

    Raises:
        UserError: the benchmark, or something that it needs, cannot be opened.
    """
    return benchmark_class(settings.benchmark).open(settings, models)


def benchmark_class(name: str) -> type[Benchmark]:
    """The benchmark of that name, not opened.

    Raises:
        UserError: there is none.
    """
    found: type[Benchmark] = plugins.load("wardround.benchmarks", name)
    return found


class AgentSource:
    """Makes the agent that a run names, for any of its tasks."""

    def __init__(
        self,
        settings: RunSettings,
        benchmark: Benchmark,
        models: RoleModels,
        trained: Mapping[str, Path],
    ) -> None:
        self._benchmark = benchmark
        self._make = None if settings.agent == ORACLE else _open_agent(settings, models, trained)

    def for_task(self, task: Task[Any, Any]) -> AgentMaker:
        """The maker for a task; only the oracle's depends on it."""
        return self._make or self._benchmark.oracle(task)


def open_models(settings: RunSettings) -> RoleModels:
    """The models that a run names, with its cache and its recording.

    Raises:
        UserError: a file among these cannot be opened.
    """
    return RoleModels(
        settings.models, cache=settings.cache, record=settings.record, replay=settings.replay
    )


def open_without_models(settings: RunSettings) -> Benchmark:
    """The benchmark for looking at what happened: nobody in it speaks, so no model is opened.

    Raises:
        UserError: as `open_benchmark`.
    """
    silent = settings.model_copy(update={"user": "script"})
    return open_benchmark(silent, RoleModels({}))


def train_agent(settings: RunSettings, benchmark: Benchmark, progress: Progress) -> dict[str, Path]:
    """Trains the run's agent if it learns and no trained file is named; the files by database.

    Raises:
        UserError: It cannot be trained on a database of the benchmark.
    """
    if settings.agent_model or settings.agent not in plugins.names(TRAINING):
        return {}
    return trained_files(
        Training(settings.agent), benchmark.training_databases(), benchmark.fingerprints(), progress
    )


def _open_agent(
    settings: RunSettings, models: RoleModels, trained: Mapping[str, Path]
) -> AgentMaker:
    opener = plugins.load("wardround.agents", settings.agent)
    keywords = keywords_for(opener, settings.agent, settings.agent_model, settings.agent_settings)
    if trained:
        keywords["trained"] = trained
    make: AgentMaker = opener(models.find("agent"), **keywords)
    return make
