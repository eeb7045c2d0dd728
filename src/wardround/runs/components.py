"""Opens the benchmark, the agent and the models of a run."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.core import plugins
from wardround.core.agent_options import agent_options
from wardround.core.benchmark import AgentContext, AgentMaker, Benchmark
from wardround.core.capabilities import TrainingSource
from wardround.core.confinement import ORACLE, Confinement, Kind, is_own
from wardround.core.declared import agent_declaration, benchmark_class
from wardround.core.environment import Agent
from wardround.core.errors import UserError, WardroundError
from wardround.core.installed_packages import refuse_compiled_sqlglot
from wardround.core.seeds import derive_seed
from wardround.core.task import Briefing, Task, digest
from wardround.models.roles import Models, RoleModels, UnusedModels
from wardround.runs.settings import RunSettings

if TYPE_CHECKING:
    from wardround.runs.training import Trainer, Training

_ISOLATED = "wardround.agents.isolated"


def open_benchmark(settings: RunSettings, models: Models) -> Benchmark:
    """Opens a run's benchmark with its databases and people.

    Raises:
        UserError: the benchmark, or something that it needs, cannot be opened.
    """
    refuse_compiled_sqlglot()
    return benchmark_class(settings.benchmark).open(settings.opening(models))


class AgentSource:
    """Makes a run's agent for each task: the one named in the settings, or by a given maker."""

    def __init__(
        self,
        settings: RunSettings,
        folder: Path,
        benchmark: Benchmark,
        models: RoleModels,
        trained: Mapping[str, Path],
        agent: AgentMaker | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._make = agent
        self._isolated: Any = None
        self.confinement = Confinement(Kind.OWN if agent is None else Kind.OBJECT)
        if agent is not None or settings.agent == ORACLE:
            return
        if not is_own(settings.agent):
            self._isolated = _isolated_agents(settings, folder, models, trained)
            self.confinement = self._isolated.confinement
            self._make = self._isolated
        else:
            self._make = _open_agent(settings, models, trained)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Starts the process of an isolated agent, and ends it after the block.

        Raises:
            UserError: the agent cannot be opened.
        """
        if self._isolated is None:
            yield
            return
        try:
            await self._isolated.process()
            yield
        finally:
            await self._isolated.close()

    def for_task(self, task: Task[Any, Any]) -> AgentMaker:
        """The maker for a task; those of the oracle and of isolated agents depend on it."""
        if self._isolated is not None:
            return partial(_with_secret_seed, self._isolated, digest(task))
        return self._make or self._benchmark.oracle(task)


def _with_secret_seed(
    make: AgentMaker, secret: str, briefing: Briefing, context: AgentContext
) -> Agent:
    """An agent with a seed that takes the task's gold to compute.

    From the trial's own seed, a hostile agent that tries run seeds, ids and numbers would learn
    which trial of which task it plays.
    """
    return make(briefing, replace(context, seed=derive_seed(context.seed, secret)))


def open_models(settings: RunSettings) -> RoleModels:
    """Opens a run's models with its cache and recording.

    Raises:
        UserError: one of their files cannot be opened.
    """
    return RoleModels(
        settings.models, cache=settings.cache, record=settings.record, replay=settings.replay
    )


def open_without_models(settings: RunSettings) -> Benchmark:
    """Opens the benchmark for reading a finished run, without models.

    Raises:
        UserError: as `open_benchmark`.
    """
    return open_benchmark(settings, UnusedModels(settings.models))


def train_agent(
    settings: RunSettings,
    folder: Path,
    benchmark: Benchmark,
    progress: Callable[[str], None],
) -> dict[str, Path]:
    """Trains the run's agent unless it needs no training or a trained file is named.

    Returns:
        The trained files by database; empty without training.

    Raises:
        UserError: The agent cannot be trained on a database of the benchmark.
    """
    if settings.agent == ORACLE or settings.agent_model:
        return {}
    if not isinstance(benchmark, TrainingSource):
        return {}
    training = _training(settings, folder)
    if training is None:
        return {}
    from wardround.runs.training import trained_files

    databases = benchmark.training_databases()
    return trained_files(training, databases, benchmark.fingerprints(), progress)


def _training(settings: RunSettings, folder: Path) -> "Training | None":
    """The training declared by the agent; None if it needs none."""
    from wardround.runs.training import Training

    if not is_own(settings.agent):
        program = _program(settings, folder, None)
        described = plugins.implementation(f"{_ISOLATED}.exchange:described")(program)
        name, train, pairs = settings.agent, described["train"], described["pairs"]
        form, trainer = described["format"], _trainer(program, train)
    else:
        agent = agent_declaration(settings.agent)
        if not agent.train:
            return None
        pairs = agent_options(agent, None, settings.agent_settings)["pairs"]
        name, train, form = agent.name, agent.train, agent.trained_format
        trainer = None
    return Training(name, train, pairs, format=form, trainer=trainer) if train else None


def _trainer(program: Any, function: str) -> "Trainer":
    """Trains an agent from outside wardround, in a separate process."""
    return partial(plugins.implementation(f"{_ISOLATED}.exchange:train"), program, function)


def _isolated_agents(
    settings: RunSettings, folder: Path, models: RoleModels, trained: Mapping[str, Path]
) -> Any:
    """Creates agents that run in a separate process."""
    make: Any = plugins.implementation(f"{_ISOLATED}.agents:IsolatedAgents")
    return make(_program(settings, folder, trained), models.find("agent"))


def _program(settings: RunSettings, folder: Path, trained: Mapping[str, Path] | None) -> Any:
    program = plugins.implementation(f"{_ISOLATED}.program:AgentProgram")
    return program(
        settings.agent,
        settings.agent_settings,
        settings.agent_model,
        trained,
        allowed=settings.agent_allow,
        protected=tuple(settings.files()),
        run=folder.absolute(),
        unconfined=settings.unconfined,
        per_trial=settings.agent_process == "trial",
    )


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
    except Exception as error:  # a third party's function may raise anything
        raise _no_agent(settings, f"{type(error).__name__}: {error}") from error
    if not callable(make):
        raise _no_agent(settings, f"it returned {type(make).__name__}")
    return make


def _no_agent(settings: RunSettings, reason: str) -> UserError:
    return UserError(
        f"The agent {settings.agent!r} cannot be opened ({reason}); name a function that takes the "
        "model and returns a function that makes agents."
    )
