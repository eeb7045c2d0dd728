"""Conversations and calls of tools as the server sees them; a worker process holds them.

Their events come from the process as they happen, so that what was done and spent is known here
even if the process dies.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

from wardround.assistant.consultation import Answer
from wardround.assistant.record_session import CLOSED, ToolResult
from wardround.assistant.users import UnavailableError
from wardround.assistant.worker_handle import ProcessEndedError, WorkerHandle
from wardround.core.actions import Call
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Event, Said, Trajectory

# The seconds that a process may be late.
_HANGS = 30.0
_ENDED = "The answer broke off, since the process that wrote it ended; start a new conversation."


class PinnedConsultation:
    """A conversation; see `Consultation`.

    Args:
        process: holds it.
        part: the number of the part of the database that it is about.
        seconds: the longest time to a reply, which the process keeps unless it hangs.
    """

    def __init__(self, process: WorkerHandle, part: int, seconds: float) -> None:
        self.trajectory = Trajectory()
        self._process = process
        self._part = part
        self._longest = seconds + _HANGS
        self._id = uuid4().hex
        self._is_over = False
        process.held.add(self._id)

    @property
    def is_over(self) -> bool:
        """True if it takes no further message."""
        return self._is_over or self._process.ended.is_set()

    async def ask(self, message: str, on_call: Callable[[str], None] = lambda tool: None) -> Answer:
        """Gives the agent a message; returns its reply, or why there is none."""
        before = len(self.trajectory.events)
        on_event = partial(self._record, on_call)
        self._is_over = True  # for a person who leaves
        try:
            async with asyncio.timeout(self._longest):
                answer: Answer = await self._process.carry_out(
                    "ask", self._id, self._part, message, on_event=on_event
                )
        except (ProcessEndedError, TimeoutError):
            if len(self.trajectory.events) == before:
                self.trajectory.record(Said("user", message))
            answer = Answer("", (), _ENDED, is_over=True)
        finally:
            self._process.held.discard(self._id)
        if not answer.is_over:
            self._is_over = False
            self._process.held.add(self._id)
        return answer

    async def close(self) -> None:
        """Ends the conversation."""
        self._is_over = True
        self._process.end(self._id)

    def _record(self, on_call: Callable[[str], None], events: list[Event]) -> None:
        self.trajectory.events += events
        for event in events:
            if isinstance(event, Called):
                on_call(event.tool)


class PinnedRecordSession:
    """The tools of the record for a person; see `RecordSession`.

    Args:
        process: holds them.
        part: the number of the part of the database that they read.
        seconds: the longest time of a call, unless the process hangs.
    """

    def __init__(self, process: WorkerHandle, part: int, seconds: float) -> None:
        self.tools: tuple[ToolSpec, ...] = ()
        self.dialect = ""
        self._process = process
        self._part = part
        self._longest = seconds + _HANGS
        self._id = uuid4().hex
        self._events: list[Event] = []

    async def open(self) -> None:
        """Opens the session.

        Raises:
            UnavailableError: the record cannot be read.
        """
        try:
            async with asyncio.timeout(self._longest):
                opened: Any = await self._process.carry_out("begin", self._id, self._part)
        except (ProcessEndedError, TimeoutError):
            raise UnavailableError(CLOSED) from None
        self.tools, self.dialect = opened
        self._process.held.add(self._id)

    async def call(self, call: Call) -> ToolResult:
        """Carries out a call; a caller that is cancelled cancels the running statement."""
        try:
            async with asyncio.timeout(self._longest):
                result: ToolResult = await self._process.carry_out(
                    "call", self._id, call, on_event=self._events.extend
                )
        except (ProcessEndedError, TimeoutError):
            self._events.append(Called(call.tool, call.arguments))
            return ToolResult(CLOSED, is_error=True, is_last=True)
        return result

    def take_events(self) -> list[Event]:
        """The events since they were taken last."""
        events, self._events[:] = list(self._events), []
        return events

    async def close(self) -> None:
        """Closes the session."""
        self._process.end(self._id)
