"""A Gymnasium environment of each installed benchmark: an episode is a trial, its reward the grade.

Importing this module registers `wardround/NAME-v0` for every benchmark, so that
`gymnasium.make("wardround.apps.gym:wardround/NAME-v0")` works.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeVar

import gymnasium
import numpy as np
import orjson
from gymnasium.spaces import Box, Dict

from wardround.apps.api import OpenTrials, open_trials
from wardround.assessment.suites import suite_makers
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import UserError
from wardround.core.loop import Ending
from wardround.core.plugins import BENCHMARKS, implementation, names
from wardround.core.session import AttemptFaultError, TrialSession
from wardround.core.work import SuiteRequest

Result = TypeVar("Result")


class AnyText(gymnasium.Space[str]):
    """All texts without lone surrogates; Gymnasium's own `Text` has a finite set of characters."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: a text has no fixed size."""
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random text of at most 40 characters of many scripts."""
        points = self.np_random.integers(0x20, 0xD800, size=self.np_random.integers(41))
        return "".join(map(chr, points))

    def contains(self, x: Any) -> bool:
        """True for a text that can be written as UTF-8."""
        return isinstance(x, str) and not any("\ud800" <= sign <= "\udfff" for sign in x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText)

    __hash__ = None  # type: ignore[assignment]


class TrialEnv(gymnasium.Env[dict[str, Any], str]):
    """Trials of a benchmark as episodes.

    An action is a text: words for the person, or a call of a tool as a JSON object
    `{"tool": NAME, "arguments": {...}}`. An observation has the text of the answer, its source (a
    person's role, "tool" or "environment"), and the budget that is left (-1 if actions are free).
    `reset` gives the agent's instructions and tools in `info`.

    The reward is 0 until the trial ends, and then the grade, 0 to 1. A trial that does not count,
    since a server failed or a simulated person broke its rules, has `info["counts"]` False and the
    reward NaN, so that nobody learns from it by mistake.

    Args:
        benchmark: its name, or `module:Class`.
        made: tasks without end: so many are made of `database` at a time, each time by another
            seed; 0 for the tasks of the benchmark or of the option `tasks`.
        seed: the seed of the first made tasks.
        record_map: the record map of the database that tasks are made of; None for its layout's.
        render_mode: "ansi", or None.
        options: further options of `wardround.open_trials`.

    Raises:
        UserError: an option is wrong, or no tasks can be made of the database.

    Example:
        env = TrialEnv("triage_plugin.declaration:BENCHMARK")
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step("Which ward?")
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        benchmark: str,
        *,
        made: int = 0,
        seed: int = 0,
        record_map: str | Path | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.render_mode = render_mode
        self.action_space = AnyText()
        self.observation_space = Dict(
            text=AnyText(), source=AnyText(), budget=Box(-1.0, 1e9, (), np.float64)
        )
        self._cleanup = ExitStack()
        # A daemon, so that an environment that nobody closes does not keep the process alive.
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True, name="wardround-gym")
        self._thread.start()
        self._benchmark = benchmark
        self._opened = AsyncExitStack()
        self._session: TrialSession | None = None
        self._last = Observation("", "environment")
        if made:
            database, maps = str(options.pop("database", "")), Path(record_map or "")
            folder = Path(self._cleanup.enter_context(TemporaryDirectory(prefix="wardround-gym-")))
            first = SuiteRequest(database, maps if record_map else None, folder, made, seed)
            self._suites = _made_without_end(benchmark, first, options)
        else:
            self._suites = iter([options])
        try:
            self._open_next()
        except BaseException:
            self.close()
            raise

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts the next trial: of a random task, or of `options["task"]`.

        Raises:
            AttemptFaultError: its environment cannot be opened.
            UserError: there is no such task.
        """
        super().reset(seed=seed)
        self._end_session()
        if seed is not None:
            self._waiting = [*self._trials.tasks]
        task = (options or {}).get("task") or self._next_task()
        self._session = session = self._trials.session(task, int(self.np_random.integers(2**31)))
        briefing = self._run(session.open())
        self._last = self._run(session.start())
        tools = [tool.as_json() for tool in briefing.tools]
        return _as_values(self._last), {"task": task, "rules": briefing.rules, "tools": tools}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carries out an action."""
        if self._session is None:
            raise gymnasium.error.ResetNeeded("The trial is over: call reset().")
        try:
            self._last = self._run(self._session.step(read_action(action)))
        except AttemptFaultError:  # its message may hold values of the gold
            self._last = Observation("The trial broke off.", "environment", done=True)
        if not self._last.done:
            return _as_values(self._last), 0.0, False, False, {}
        session, self._session = self._session, None
        self._run(session.end())
        last = self._run(session.finish()).last
        reward = next(iter((last.rewards or {}).values()), nan) if last.counts else nan
        # The reason of a fault may hold values of the gold.
        reason = last.reason if last.counts else ""
        info = {"counts": last.counts, "outcome": str(last.outcome), "reason": reason}
        finished = last.ending not in (Ending.ACTION_LIMIT, Ending.TIME_LIMIT)
        return _as_values(self._last), float(reward), finished, not finished, info

    def render(self) -> str | None:
        """The last observation as text, in the mode "ansi"."""
        return f"{self._last.source}: {self._last.text}" if self.render_mode else None

    def close(self) -> None:
        """Closes databases and models, and removes made tasks."""
        if self._loop.is_closed():
            return
        self._end_session()
        self._run(self._opened.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._cleanup.close()

    def _end_session(self) -> None:
        if self._session is not None:
            self._run(self._session.close())
            self._session = None

    def _next_task(self) -> str:
        if not self._waiting:
            self._open_next()
        return self._waiting.pop(int(self.np_random.integers(len(self._waiting))))

    def _open_next(self) -> None:
        """Opens the next tasks; the same ones go on if no others are made."""
        if (options := next(self._suites, None)) is not None:
            self._run(self._opened.aclose())
            opened = open_trials(self._benchmark, attempts=1, **options)
            self._trials: OpenTrials = self._run(self._opened.enter_async_context(opened))
        self._waiting = [*self._trials.tasks]

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def read_action(text: str) -> Action:
    """The action that a policy wrote; text that is no call is said.

    >>> read_action('{"tool": "beds", "arguments": {"ward": "west"}}')
    Call(tool='beds', arguments={'ward': 'west'})
    >>> read_action("Which ward?")
    Say(text='Which ward?')
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return Say(text)
    match value:
        case {"tool": str(tool), "arguments": dict(arguments), **rest} if not rest:
            return Call(tool, arguments)
    return Say(text)


def _as_values(observation: Observation) -> dict[str, Any]:
    budget = -1.0 if observation.budget is None else max(0.0, observation.budget)
    return {
        "text": observation.text,
        "source": observation.source,
        "budget": np.array(budget, np.float64),
    }


def _made_without_end(
    benchmark: str, first: SuiteRequest, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The options to open each suite that is made, by one seed after another."""
    if (declared := suite_makers().get(benchmark)) is None:
        raise UserError(f"No tasks of {benchmark!r} are made; those are: {[*suite_makers()]}.")
    make, seed = implementation(declared.suite), first.seed
    while True:
        made = make(replace(first, folder=first.folder / str(seed), seed=seed))
        database = {made.layout: str(made.record or first.database)}
        yield {**options, **made.options, "tasks": made.tasks, "database": database}
        seed += 1


for _name in names(BENCHMARKS):
    gymnasium.register(f"wardround/{_name}-v0", f"{__name__}:TrialEnv", kwargs={"benchmark": _name})
