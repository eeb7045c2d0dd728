"""Opens the benchmark, the agent and the models of a run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wardround.core import plugins
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.declared import agent_declaration
from wardround.core.errors import UserError, WardroundError
from wardround.core.task import Task
from wardround.models.roles import RoleModels, UnusedModels
from wardround.runs.agent_options import agent_options
from wardround.runs.settings import RunSettings

ORACLE = "oracle"


def open_benchmark(settings: RunSettings, models: RoleModels | UnusedModels) -> Benchmark:
    """The benchmark that a run names, open on its databases and people.

    Raises:
        UserError: the benchmark, or something that it needs, cannot be opened.
    """
    found: type[Benchmark] = plugins.implementation(settings.declaration.implementation)
    return found.open(settings.opening(models))


class AgentSource:
    """Makes the agent of a run, for any of its tasks.

    It is the one that the settings name, unless a maker is given in its place.
    """

    def __init__(
        self,
        settings: RunSettings,
        benchmark: Benchmark,
        models: RoleModels,
        trained: Mapping[str, Path],
        agent: AgentMaker | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._make = agent
        if agent is None and settings.agent != ORACLE:
            self._make = _open_agent(settings, models, trained)

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
    """The benchmark for looking at a finished run, without models.

    Raises:
        UserError: as `open_benchmark`.
    """
    return open_benchmark(settings, UnusedModels(settings.models))


def train_agent(
    settings: RunSettings, benchmark: Benchmark, progress: Callable[[str], None]
) -> dict[str, Path]:
    """Trains the run's agent if it learns and no trained file is named; the files by database.

    Raises:
        UserError: It cannot be trained on a database of the benchmark.
    """
    if settings.agent == ORACLE or settings.agent_model:
        return {}
    agent = agent_declaration(settings.agent)
    databases = benchmark.training_databases() if agent.train else {}
    if not databases:
        return {}
    from wardround.runs.training import Training, trained_files

    options = agent_options(agent, None, settings.agent_settings)
    training = Training(agent.name, agent.train, options["pairs"], format=agent.trained_format)
    return trained_files(training, databases, benchmark.fingerprints(), progress)


def _open_agent(
    settings: RunSettings, models: RoleModels, trained: Mapping[str, Path]
) -> AgentMaker:
    agent = agent_declaration(settings.agent)
    keywords = agent_options(agent, settings.agent_model, settings.agent_settings)
    if agent.train:
        del keywords["pairs"]
        keywords["trained"] = trained
    opener = plugins.implementation(agent.implementation)
    try:
        make: AgentMaker = opener(models.find("agent"), **keywords)
    except WardroundError:
        raise
    except Exception as error:  # whatever a stranger's function raises
        raise _no_agent(settings, f"{type(error).__name__}: {error}") from error
    if not callable(make):
        raise _no_agent(settings, f"it returned {type(make).__name__}")
    return make


def _no_agent(settings: RunSettings, reason: str) -> UserError:
    return UserError(
        f"The agent {settings.agent!r} cannot be opened ({reason}); name a function that takes the "
        "model and returns a function that makes agents."
    )
