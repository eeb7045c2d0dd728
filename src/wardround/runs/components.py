"""Opens what a run names: its benchmark, its agent, its models."""

from typing import Any

from wardround.core import plugins
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.declared import agent_declaration
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
        agent: AgentMaker | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._make = agent
        if agent is None and settings.agent != ORACLE:
            self._make = _open_agent(settings, models)

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
    """The benchmark for looking at what happened: no model is asked anything.

    Raises:
        UserError: as `open_benchmark`.
    """
    return open_benchmark(settings, UnusedModels(settings.models))


def _open_agent(settings: RunSettings, models: RoleModels) -> AgentMaker:
    agent = agent_declaration(settings.agent)
    keywords = agent_options(agent, settings.agent_model, settings.agent_settings)
    opener = plugins.implementation(agent.implementation)
    make: AgentMaker = opener(models.find("agent"), **keywords)
    return make
