"""Opens what a run names: its benchmark, its agent, its tasks."""

from collections.abc import Sequence
from typing import Any

from wardround.benchmarks.settings import RunSettings
from wardround.core import plugins
from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.task import Task
from wardround.models.opening import open_model

ORACLE = "oracle"


def open_benchmark(settings: RunSettings) -> Benchmark:
    """The benchmark that a run names, open on its databases and people.

    Raises:
        UserError: the benchmark, or something that it needs, cannot be opened.
    """
    return benchmark_class(settings.benchmark).open(settings)


def benchmark_class(name: str) -> type[Benchmark]:
    """The benchmark of that name, not opened.

    Raises:
        UserError: there is none.
    """
    found: type[Benchmark] = plugins.load("wardround.benchmarks", name)
    return found


class AgentSource:
    """Makes the agent that a run names, for any of its tasks."""

    def __init__(self, settings: RunSettings, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._make = None if settings.agent == ORACLE else _open_agent(settings)

    def for_task(self, task: Task[Any, Any]) -> AgentMaker:
        """The maker for a task; only the oracle's depends on it."""
        return self._make or self._benchmark.oracle(task)


def _open_agent(settings: RunSettings) -> AgentMaker:
    named = settings.models.get("agent")
    model = open_model(named, cache=settings.cache) if named else None
    make: AgentMaker = plugins.load("wardround.agents", settings.agent)(model)
    return make


def chosen(tasks: Sequence[Task[Any, Any]], limit: int | None) -> list[Task[Any, Any]]:
    """The first `limit` tasks, or all."""
    return list(tasks[:limit])
