"""Every installed benchmark as an Inspect task: `inspect eval wardround/NAME`.

A sample is a trial. Its setup opens the trial and gives the solver the environment's tools; the
scorer ends and grades it. People, sandbox, limits and judges are those of `wardround run`.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

from wardround.agents.frameworks.inspect_tools import trial_tools
from wardround.agents.frameworks.self_driven import SAY
from wardround.apps.api import OpenTrials, open_trials, task_ids
from wardround.core.actions import Action, Observation, Say
from wardround.core.plugins import BENCHMARKS, names
from wardround.core.session import AttemptFaultError, TrialSession

_OVER, _BROKE_OFF = "The trial is over.", "The trial broke off."
# Open databases and models of tasks, until the end of their run.
_opened = AsyncExitStack()


@hooks("wardround_close", "Closes the databases and models of wardround's tasks.")
class _Closing(Hooks):
    async def on_run_end(self, data: RunEnd) -> None:
        await _opened.aclose()


class SampleTrials:
    """The trials of a task that are being played, by the id of their sample."""

    def __init__(self, open: Callable[[], AbstractAsyncContextManager[OpenTrials]]) -> None:
        self._open = open
        self._trials: OpenTrials | None = None
        self._lock = asyncio.Lock()
        self._sessions: dict[str, TrialSession] = {}

    async def begin(self, state: TaskState) -> TaskState:
        """Opens the sample's trial, and gives the solver its instructions and tools."""
        session = (await self._opened_trials()).session(str(state.sample_id), state.epoch - 1)
        self._sessions[state.uuid] = session
        try:
            briefing = await session.open()
            first = await session.start()
        except AttemptFaultError:
            state.completed = True  # the scorer tells that it does not count
            return state
        state.messages = [
            ChatMessageSystem(content=briefing.rules),
            ChatMessageUser(content=first.text),
        ]

        async def carry_out(action: Action) -> str:
            return (await self.step(state, action)).text

        state.tools = trial_tools((*briefing.tools, SAY), carry_out)
        return state

    async def _opened_trials(self) -> OpenTrials:
        async with self._lock:
            if self._trials is None:
                self._trials = await _opened.enter_async_context(self._open())
            return self._trials

    async def step(self, state: TaskState, action: Action) -> Observation:
        """Carries out an action; marks the sample as complete if the trial is over."""
        if state.completed:
            return Observation(_OVER, "environment", done=True)
        try:
            observation = await self._sessions[state.uuid].step(action)
        except AttemptFaultError:  # its message may hold values of the gold
            observation = Observation(_BROKE_OFF, "environment", done=True)
        state.completed = observation.done
        return observation

    async def grade(self, state: TaskState) -> Score:
        """The trial's grade; a trial that does not count is unscored."""
        session = self._sessions[state.uuid]
        await session.end()
        last = (await session.finish()).last
        if not last.counts:
            return Score.unscored(explanation=last.reason or str(last.outcome))
        rewards = dict(last.rewards or {})
        passed = float(last.outcome == "passed")
        return Score(value=passed, explanation=last.reason, metadata={"rewards": rewards})

    async def forget(self, state: TaskState) -> None:
        """Closes the sample's trial, however it ended."""
        if (session := self._sessions.pop(state.uuid, None)) is not None:
            await session.close()


def _talk(trials: SampleTrials) -> Solver:
    """The solver by default: calls tools, and says what the model writes without a call."""

    @solver(name="wardround_agent")
    def agent() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.tools = [tool for tool in state.tools if ToolDef(tool).name != SAY.name]
            while not state.completed:
                state = await generate(state, tool_calls="single")
                if not state.completed and not state.output.message.tool_calls:
                    reply = await trials.step(state, Say(state.output.completion))
                    state.messages.append(ChatMessageUser(content=reply.text))
            return state

        return solve

    return agent()


def inspect_task(benchmark: str, *, trials: int = 1, **options: Any) -> Task:
    """A benchmark as an Inspect task, with pass^k for each k up to the number of trials.

    Args:
        benchmark: its name, or `module:Class`.
        trials: the trials of a sample (Inspect's epochs).
        options: options of `wardround.open_trials`, such as `task`, `database` and `role_models`.

    Raises:
        UserError: the tasks cannot be read.
    """
    opened = SampleTrials(lambda: open_trials(benchmark, attempts=1, **options))

    @solver(name="wardround_trial")
    def begin() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return await opened.begin(state)

        return solve

    @scorer(name="wardround", metrics=[mean(), stderr()])
    def grade() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return await opened.grade(state)

        return score

    return Task(
        MemoryDataset([Sample(id, id=id) for id in task_ids(benchmark, **options)], benchmark),
        setup=begin(),
        solver=_talk(opened),
        scorer=grade(),
        cleanup=opened.forget,
        epochs=Epochs(trials, [f"pass_k_{k}" for k in range(1, trials + 1)]),
    )


def _registered(name: str) -> None:
    @task(name=name)
    def of_benchmark(trials: int = 1, **options: Any) -> Task:
        return inspect_task(name, trials=trials, **options)


for _name in names(BENCHMARKS):
    _registered(_name)
