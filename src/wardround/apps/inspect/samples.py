"""The trials that the samples of an Inspect task are."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from wardround.agents.frameworks.inspect_tools import trial_tools
from wardround.agents.frameworks.self_driven import SAY
from wardround.apps.api import OpenTrials
from wardround.core.actions import Action, Observation
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
