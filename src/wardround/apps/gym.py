"""A Gymnasium environment of each installed benchmark: an episode is a trial, its reward the grade.

Importing this module registers `wardround/NAME-v0` for every benchmark, so that
`gymnasium.make("wardround.apps.gym:wardround/NAME-v0")` works.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeVar

import gymnasium

from wardround.apps.api import OpenTrials, open_trials
from wardround.apps.gym_spaces import AnyText, as_values, graded, observation_space, read_action
from wardround.assessment.suites import suites_without_end
from wardround.core.actions import Observation
from wardround.core.loop import Ending
from wardround.core.plugins import BENCHMARKS, names
from wardround.core.session import AttemptFaultError, TrialSession
from wardround.core.work import SuiteRequest

Result = TypeVar("Result")


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
        self.observation_space = observation_space()
        self._cleanup = ExitStack()
        self._loop = LoopThread("wardround-gym")
        self._benchmark = benchmark
        self._opened = AsyncExitStack()
        self._session: TrialSession | None = None
        self._last = Observation("", "environment")
        if not made:
            self._suites = iter([options])
        else:
            database, maps = str(options.pop("database", "")), Path(record_map or "")
            folder = Path(self._cleanup.enter_context(TemporaryDirectory(prefix="wardround-gym-")))
            first = SuiteRequest(database, maps if record_map else None, folder, made, seed)
            suites = suites_without_end(benchmark, first)
            self._suites = ({**options, **suite} for suite in suites)
        with ExitStack() as unless_opened:
            unless_opened.callback(self.close)
            self._open_next()
            unless_opened.pop_all()

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
        briefing = self._loop.run(session.open())
        self._last = self._loop.run(session.start())
        tools = [tool.as_json() for tool in briefing.tools]
        return as_values(self._last), {"task": task, "rules": briefing.rules, "tools": tools}

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Carries out an action."""
        if self._session is None:
            raise gymnasium.error.ResetNeeded("The trial is over: call reset().")
        try:
            self._last = self._loop.run(self._session.step(read_action(action)))
        except AttemptFaultError:  # its message may hold values of the gold
            self._last = Observation("The trial broke off.", "environment", done=True)
        if not self._last.done:
            return as_values(self._last), 0.0, False, False, {}
        session, self._session = self._session, None
        self._loop.run(session.end())
        last = self._loop.run(session.finish()).last
        reward, info = graded(last)
        finished = last.ending not in (Ending.ACTION_LIMIT, Ending.TIME_LIMIT)
        return as_values(self._last), reward, finished, not finished, info

    def render(self) -> str | None:
        """The last observation as text, in the mode "ansi"."""
        return f"{self._last.source}: {self._last.text}" if self.render_mode else None

    def close(self) -> None:
        """Closes databases and models, and removes made tasks."""
        if self._loop.is_closed:
            return
        self._end_session()
        self._loop.run(self._opened.aclose())
        self._loop.close()
        self._cleanup.close()

    def _end_session(self) -> None:
        if self._session is not None:
            self._loop.run(self._session.close())
            self._session = None

    def _next_task(self) -> str:
        if not self._waiting:
            self._open_next()
        return self._waiting.pop(int(self.np_random.integers(len(self._waiting))))

    def _open_next(self) -> None:
        """Opens the next tasks; the same ones go on if no others are made."""
        if (options := next(self._suites, None)) is not None:
            self._loop.run(self._opened.aclose())
            opened = open_trials(self._benchmark, attempts=1, **options)
            self._trials: OpenTrials = self._loop.run(self._opened.enter_async_context(opened))
        self._waiting = [*self._trials.tasks]


class LoopThread:
    """An event loop on a separate thread, for callers that are not async.

    It does not keep the process alive if nobody closes it.
    """

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True, name=name)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Waits for work in the loop; returns its result.

        >>> loop = LoopThread("example")
        >>> loop.run(asyncio.sleep(0, "done"))
        'done'
        >>> loop.close()
        >>> loop.is_closed
        True
        """
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Ends the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


for _name in names(BENCHMARKS):
    gymnasium.register(f"wardround/{_name}-v0", f"{__name__}:TrialEnv", kwargs={"benchmark": _name})
