"""Runs and trials from Python: `run`, `run_async`, `load_run`, `open_trials`, `task_ids`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import orjson

from wardround.apps.command_line.choices import chosen_settings
from wardround.core.benchmark import AgentMaker, Benchmark, Summary
from wardround.core.confinement import ORACLE
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord, record_to_json
from wardround.core.run_reader import read_settings, read_trajectory, read_trials
from wardround.core.serialization import flattened
from wardround.core.session import TrialSession
from wardround.core.task import Suite
from wardround.core.trajectory import Trajectory
from wardround.report.run_report import read_report
from wardround.runs.components import open_benchmark, open_models
from wardround.runs.open_run import with_threads
from wardround.runs.scoring import suite_of
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, next_folder, start_run_here


@dataclass(frozen=True, slots=True)
class Run:
    """A run on disk."""

    folder: Path

    def settings(self) -> dict[str, Any]:
        """The content of `run.json`: settings, versions, tasks and databases."""
        return read_settings(self.folder)

    def trials(self) -> list[TrialRecord]:
        """The finished trials."""
        return read_trials(self.folder)

    def trajectory(self, task: str, trial: int = 0) -> Trajectory:
        """The events of a trial.

        Raises:
            UserError: there is no such trial.
        """
        for record in self.trials():
            if record.key == (task, trial):
                return read_trajectory(self.folder, record.trajectory)
        raise UserError(f"{self.folder} has no finished trial {trial} of task {task!r}.")

    def summary(self) -> Summary:
        """The benchmark's tables and figures for the trials.

        Raises:
            UserError: no trial has finished.
        """
        return read_report(self.folder).summary

    def to_pandas(self) -> Any:
        """A data frame with a row for each trial and flat columns, such as `scores.strict`.

        Raises:
            UserError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise UserError("A data frame needs pandas: pip install pandas.") from None
        return pandas.DataFrame([_columns(record) for record in self.trials()])


def run(benchmark: str, *, agent: str | AgentMaker, **options: Any) -> Run:
    """Runs an agent on a benchmark and returns the run.

    It also works if an event loop is running, as in a notebook: the run then has its own event
    loop on another thread.

    Args:
        benchmark: its name, or `module:Class`.
        agent: a name, `module:function`, "oracle", or a maker, which is called once a trial with
            the briefing and the context and returns an agent.
        options: as for `run_async`.

    Raises:
        UserError: an option is wrong, or something that the run needs cannot be opened.
    """
    concurrency = options.get("concurrency", RunSettings.model_fields["concurrency"].default)
    work = with_threads(run_async(benchmark, agent=agent, **options), concurrency)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _run_on_thread(work)


async def run_async(
    benchmark: str,
    *,
    agent: str | AgentMaker,
    out: str | Path | None = None,
    force: bool = False,
    task: str | Sequence[str] = (),
    database: str | Path | Mapping[str, str | Path] | None = None,
    agent_settings: Mapping[str, Any] | None = None,
    role_models: Mapping[str, str] | None = None,
    temperature: float | str | None = None,
    progress: Callable[[TrialRecord], None] | None = None,
    **options: Any,
) -> Run:
    """Runs an agent on a benchmark in the running event loop and returns the run.

    Args:
        benchmark: its name, or `module:Class`.
        agent: a name, `module:function`, "oracle", or a maker, which is called once a trial with
            the briefing and the context and returns an agent.
        out: the run's folder; the first free `runs/BENCHMARK-AGENT-NUMBER` by default.
        force: replaces a run in `out`.
        task: ids of the tasks to run, with `*` and `?` as wildcards; all by default.
        database: a database, or databases by the names that the tasks use.
        agent_settings: settings of a named agent.
        role_models: models of single roles, as "provider:name[,setting=value...]".
        temperature: the agent's temperature, the benchmark's by default; "none" leaves it to the
            provider.
        progress: called with each finished trial.
        options: further options of `wardround run` by their names (`trials`, `limit`, `model`,
            `seed`, `concurrency`...) and the benchmark's own.

    Raises:
        UserError: an option is wrong, or something that the run needs cannot be opened.
    """
    settings = chosen_settings(
        benchmark,
        {
            **options,
            "agent": agent if isinstance(agent, str) else _label(agent),
            "agent_setting": [f"{name}={value}" for name, value in (agent_settings or {}).items()],
            "temperature": None if temperature is None else str(temperature),
            **_typed(task, database, role_models),
        },
    )
    folder = Path(out) if out is not None else next_folder(settings)
    listener = Listener(lambda started: None, progress or (lambda record: None))
    maker = None if isinstance(agent, str) else agent
    await start_run_here(settings, folder, listener, force=force, agent=maker)
    return Run(folder)


def load_run(folder: str | Path) -> Run:
    """Opens a run on disk.

    Raises:
        UserError: the folder is not a run.
    """
    read_settings(Path(folder))
    return Run(Path(folder))


class OpenTrials:
    """An opened benchmark, whose trials are driven from outside; see `open_trials`."""

    def __init__(self, benchmark: Benchmark, suite: Suite, settings: RunSettings) -> None:
        self._benchmark = benchmark
        self._tasks = {task.id: task for task in suite.tasks}
        self._settings = settings

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks."""
        return tuple(self._tasks)

    def session(self, task: str, trial: int = 0) -> TrialSession:
        """A trial of a task, to be driven step by step.

        Raises:
            UserError: there is no such task.
        """
        if task not in self._tasks:
            raise UserError(f"{self._settings.benchmark} has no task {task!r} here; see `tasks`.")
        return TrialSession(
            self._benchmark,
            self._tasks[task],
            trial,
            run_seed=self._settings.seed,
            limits=self._settings.limits,
            attempts=self._settings.attempts,
        )


@asynccontextmanager
async def open_trials(
    benchmark: str,
    *,
    task: str | Sequence[str] = (),
    database: str | Path | Mapping[str, str | Path] | None = None,
    role_models: Mapping[str, str] | None = None,
    **options: Any,
) -> AsyncIterator[OpenTrials]:
    """Opens a benchmark whose trials are driven from outside, and closes it after the block.

    Nothing is stored: a session's `finish` returns the trial with its score. Limits, seed and
    people are those of a run with the same options.

    Args:
        benchmark: its name, or `module:Class`.
        task: ids of the tasks, with `*` and `?` as wildcards; all by default.
        database: a database, or databases by the names that the tasks use.
        role_models: models of the people and judges, as "provider:name[,setting=value...]".
        options: further options of `wardround run` by their names, and the benchmark's own; those
            of an agent mean nothing.

    Raises:
        UserError: an option is wrong, or something that the trials need cannot be opened.
    """
    settings = _trial_settings(benchmark, task, database, role_models, options)
    async with opened_trials(settings) as trials:
        yield trials


@asynccontextmanager
async def opened_trials(settings: RunSettings) -> AsyncIterator[OpenTrials]:
    """Opens the benchmark of settings for trials that are driven from outside.

    Raises:
        UserError: something that the trials need cannot be opened.
    """
    models = open_models(settings)
    opened = open_benchmark(settings, models)
    try:
        suite = await asyncio.to_thread(opened.load, settings.tasks, settings.tasks_chosen)
        yield OpenTrials(opened, suite, settings)
    finally:
        opened.close()
        await models.close()


def task_ids(
    benchmark: str,
    *,
    task: str | Sequence[str] = (),
    database: str | Path | Mapping[str, str | Path] | None = None,
    role_models: Mapping[str, str] | None = None,
    **options: Any,
) -> tuple[str, ...]:
    """The ids of the tasks that `open_trials` opens with the same options; opens no database.

    Raises:
        UserError: an option is wrong, or the tasks are missing.
    """
    settings = _trial_settings(benchmark, task, database, role_models, options)
    return tuple(task.id for task in settings.tasks_chosen.of(suite_of(settings)).tasks)


def _trial_settings(
    benchmark: str,
    task: str | Sequence[str],
    database: str | Path | Mapping[str, str | Path] | None,
    role_models: Mapping[str, str] | None,
    options: Mapping[str, Any],
) -> RunSettings:
    typed = {**options, "agent": ORACLE, **_typed(task, database, role_models)}
    return chosen_settings(benchmark, typed)


def _typed(
    task: str | Sequence[str],
    database: str | Path | Mapping[str, str | Path] | None,
    role_models: Mapping[str, str] | None,
) -> dict[str, list[str]]:
    """Python values as the command line has them."""
    return {
        "database": _databases(database),
        "role_model": [f"{role}={model}" for role, model in (role_models or {}).items()],
        "task": [task] if isinstance(task, str) else [*task],
    }


def _databases(database: str | Path | Mapping[str, str | Path] | None) -> list[str]:
    if database is None:
        return []
    if isinstance(database, Mapping):
        return [f"{name}={location}" for name, location in database.items()]
    return [str(database)]


def _label(maker: AgentMaker) -> str:
    """The maker's label in the run: its module and name."""
    name = getattr(maker, "__qualname__", type(maker).__qualname__)
    return f"{getattr(maker, '__module__', type(maker).__module__)}:{name}"


def _run_on_thread(work: Coroutine[Any, Any, Run]) -> Run:
    """Runs a coroutine in an event loop on another thread; an interrupt cancels it."""
    begun: SimpleQueue[Callable[[], object]] = SimpleQueue()

    async def main() -> Run:
        task = asyncio.ensure_future(work)
        begun.put(partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel))
        return await task

    with ThreadPoolExecutor(1, "wardround-run") as thread:
        finished = thread.submit(asyncio.run, main())
        cancel = begun.get()
        try:
            return finished.result()
        except BaseException:
            if not finished.done():
                cancel()
            raise


def _columns(record: TrialRecord) -> dict[str, Any]:
    """The record's values by column, without the location of its trajectory."""
    values: dict[str, Any] = orjson.loads(record_to_json(record))
    del values["trajectory"]
    values["rejected"] = len(values["rejected"])
    return flattened(values)
