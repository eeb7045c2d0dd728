"""Trials over lines of JSON, for programs in other environments and languages.

Each request and each answer is one line. One trial is open at a time::

    {"open": "TASK", "trial": 0}     {"rules": …, "tools": […], "observation": {…}}
    {"say": "Which ward?"}           {"observation": {"text": …, "source": …, "done": false, …}}
    {"call": "beds", "arguments": {}}
    {"finish": true}                 {"outcome": "passed", "counts": true, "rewards": {…}, …}
    {"tasks": true}                  {"tasks": […]}

A request that cannot be carried out is answered by {"error": "…"}.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

import orjson

from wardround.apps.api import OpenTrials
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import UserError, WardroundError
from wardround.core.session import AttemptFaultError, TrialSession


class TrialProtocol:
    """Answers requests about the trials of an opened benchmark."""

    def __init__(self, trials: OpenTrials) -> None:
        self._trials = trials
        self._session: TrialSession | None = None
        self._is_over = False

    async def answer(self, line: bytes) -> dict[str, Any]:
        """The answer to a request."""
        try:
            request = orjson.loads(line)
        except orjson.JSONDecodeError:
            return {"error": "The line is not JSON."}
        try:
            return await self._answer(request)
        except WardroundError as error:
            return {"error": str(error)}

    async def close(self) -> None:
        """Closes the open trial, which is forgotten."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _answer(self, request: object) -> dict[str, Any]:
        match request:
            case {"tasks": True}:
                return {"tasks": [*self._trials.tasks]}
            case {"open": str(task), **rest} if isinstance(trial := rest.get("trial", 0), int):
                return await self._open(task, trial)
            case {"say": str(text)}:
                return await self._step(Say(text))
            case {"call": str(tool), "arguments": dict(arguments)}:
                return await self._step(Call(tool, arguments))
            case {"call": str(tool), **rest} if "arguments" not in rest:
                return await self._step(Call(tool))
            case {"finish": True}:
                return await self._finish()
        return {"error": "A request is one of: tasks, open, say, call, finish."}

    async def _open(self, task: str, trial: int) -> dict[str, Any]:
        await self.close()
        self._session = session = self._trials.session(task, trial)
        try:
            briefing = await session.open()
            first = await session.start()
        except AttemptFaultError:
            self._is_over = True
            raise UserError("The trial broke off: send finish.") from None
        tools = [tool.as_json() for tool in briefing.tools]
        return {"rules": briefing.rules, "tools": tools, "observation": self._observed(first)}

    async def _step(self, action: Action) -> dict[str, Any]:
        session = self._opened()
        if self._is_over:
            raise UserError("The trial is over: send finish.")
        try:
            return {"observation": self._observed(await session.step(action))}
        except AttemptFaultError:  # its message may hold values of the gold
            self._is_over = True
            raise UserError("The trial broke off: send finish.") from None

    def _observed(self, observation: Observation) -> dict[str, Any]:
        self._is_over = observation.done
        return asdict(observation)

    async def _finish(self) -> dict[str, Any]:
        session = self._opened()
        self._session = None
        await session.end()
        last = (await session.finish()).last
        return {
            "outcome": str(last.outcome),
            "counts": last.counts,
            "rewards": dict(last.rewards or {}) if last.counts else {},
            "reason": last.reason if last.counts else "",  # a fault's may hold values
        }

    def _opened(self) -> TrialSession:
        if self._session is None:
            raise UserError("No trial is open: send open first.")
        return self._session


async def serve_lines(
    trials: OpenTrials, lines: AsyncIterator[bytes], write: Callable[[bytes], None]
) -> None:
    """Answers lines until they end."""
    protocol = TrialProtocol(trials)
    try:
        async for line in lines:
            write(orjson.dumps(await protocol.answer(line)) + b"\n")
    finally:
        await protocol.close()
