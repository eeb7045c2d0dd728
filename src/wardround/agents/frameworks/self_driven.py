"""Agents of frameworks that call tools themselves: each waits in a tool for its result."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

SAY = ToolSpec(
    "say",
    "Says something to the person you work for, and returns the answer.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "the words"}},
        "required": ["text"],
    },
)

_GRACE_SECONDS = 5  # for a framework that is cancelled at the end of its trial

CarryOut: TypeAlias = Callable[[Action], Awaitable[str]]
Reply: TypeAlias = Callable[[str], Awaitable[str]]
"""Works on the person's words, and returns what to say to them."""


def self_driven(open_reply: Callable[[Briefing, AgentContext, CarryOut], Reply]) -> AgentMaker:
    """A maker of agents whose framework calls tools.

    Args:
        open_reply: called once a trial with the briefing, the context, and the function that
            carries out an action and returns its result; returns the function that works on the
            first message, and on each answer to what it returned.
    """
    return lambda briefing, context: _SelfDriven(briefing, context, open_reply)


class _SelfDriven:
    def __init__(
        self,
        briefing: Briefing,
        context: AgentContext,
        open_reply: Callable[[Briefing, AgentContext, CarryOut], Reply],
    ) -> None:
        self._actions: asyncio.Queue[Action] = asyncio.Queue()
        self._results: asyncio.Queue[str] = asyncio.Queue()
        self._turn = asyncio.Lock()
        self._work: asyncio.Task[str] | None = None  # it waits in a tool if it is not done
        self._reply = open_reply(briefing, context, self._carry_out)
        context.cleanup.push_async_callback(self._cancel)

    async def act(self, observation: Observation) -> Action:
        """The next call of a tool, or what the framework said in the end."""
        if self._work is not None and not self._work.done():
            self._results.put_nowait(observation.text)
            work = self._work
        else:
            work = self._work = asyncio.create_task(_awaited(self._reply(observation.text)))
        called = asyncio.create_task(self._actions.get())
        await asyncio.wait({called, work}, return_when=asyncio.FIRST_COMPLETED)
        if called.done():
            return called.result()
        called.cancel()
        return Say(work.result())

    async def _carry_out(self, action: Action) -> str:
        async with self._turn:  # a framework may call several tools at once
            self._actions.put_nowait(action)
            return await self._results.get()

    async def _cancel(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work], timeout=_GRACE_SECONDS)


async def _awaited(reply: Awaitable[str]) -> str:
    return await reply
