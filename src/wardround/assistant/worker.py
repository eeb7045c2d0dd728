"""A worker process: holds agents with their conversations, and does the jobs of the server."""

import asyncio
import logging
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from socket import socket
from typing import Any

from wardround.assistant.channel import Channel
from wardround.assistant.consultation import Answer, Consultation
from wardround.assistant.record_session import RecordSession, ToolResult
from wardround.assistant.wards import Wards
from wardround.core.actions import Call
from wardround.core.errors import WardroundError
from wardround.core.limits import Limits
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Event
from wardround.core.url_passwords import Passwords, take_passwords
from wardround.runs.open_run import use_threads
from wardround.runs.settings import RunSettings

log = logging.getLogger(__name__)

CANCEL = "cancel"
_OVER = "This conversation is over; start a new one."
# Sends something of a job to the server before the job is done.
Tell = Callable[[Any], None]


class Worker:
    """Does the jobs of the server; each method but `close_all` is one.

    Args:
        wards: the open parts of the database.
        limits: the limits of a trial; `seconds` is the longest time to a reply.
    """

    def __init__(self, wards: Wards, limits: Limits) -> None:
        self._wards = wards
        self._limits = limits
        self._talks: dict[str, Consultation] = {}
        self._sessions: dict[str, RecordSession] = {}

    async def open(self, part: int, location: str, passwords: Passwords, tell: Tell) -> None:
        """Opens a part of the database; tells the steps of training an agent."""
        take_passwords(passwords)
        loop = asyncio.get_running_loop()
        await self._wards.open(part, location, lambda line: _soon(loop, tell, line))

    async def retire(self, part: int, tell: Tell) -> None:
        """Closes a part of the database."""
        await self._wards.close(part)

    async def ask(self, id: str, part: int, message: str, tell: Tell) -> Answer:
        """Gives a conversation its next message; tells its events as they happen."""
        if id not in self._talks:
            ward = self._wards[part]
            self._talks[id] = Consultation(ward.benchmark, ward.make_agent, self._limits)
        talk = self._talks[id]
        sent = len(talk.trajectory.events)

        def tell_events(tool: str = "") -> None:
            nonlocal sent
            events: list[Event] = talk.trajectory.events[sent:]
            sent += len(events)
            tell(events)

        try:
            if talk.is_over:
                return Answer("", (), _OVER, is_over=True)
            return await talk.ask(message, tell_events)
        finally:
            tell_events()
            if talk.is_over:
                await self.end(id, tell)

    async def begin(self, id: str, part: int, tell: Tell) -> tuple[tuple[ToolSpec, ...], str]:
        """Opens the tools of the record for a person; returns them with the SQL dialect."""
        session = RecordSession(self._wards[part].benchmark, self._limits)
        await session.open()
        self._sessions[id] = session
        return session.tools, session.dialect

    async def call(self, id: str, call: Call, tell: Tell) -> ToolResult:
        """Carries out a call of a tool of the record; tells its events."""
        session = self._sessions[id]
        try:
            return await session.call(call)
        finally:
            tell(session.take_events())

    async def end(self, id: str, tell: Tell) -> None:
        """Ends a conversation, or a person's calls."""
        for open_ones in (self._talks, self._sessions):
            if (ended := open_ones.pop(id, None)) is not None:
                await ended.close()

    async def close_all(self) -> None:
        """Ends everything that is open."""
        for id in (*self._talks, *self._sessions):
            await self.end(id, lambda event: None)
        await self._wards.close_all()


def run(end: socket, settings: RunSettings, folder: Path, limits: Limits) -> None:
    """Does the jobs that come over a socket: the entry point of a worker process.

    Args:
        end: the socket.
        settings: the settings of the served agent.
        folder: the folder of the record, which the agent may not see.
        limits: the limits of a trial.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the server handles them
    asyncio.run(_run(end, settings, folder, limits))


async def _run(end: socket, settings: RunSettings, folder: Path, limits: Limits) -> None:
    use_threads(settings.concurrency)
    await answer_jobs(end, Worker(Wards(settings, folder), limits))


async def answer_jobs(end: socket, worker: Worker) -> None:
    """Does the jobs that come over a socket, until the server closes it or ends."""
    channel = await Channel.over(end)
    try:
        await _jobs_done(channel, worker)
        await worker.close_all()
    finally:
        channel.close()


async def _jobs_done(channel: Channel, worker: Worker) -> None:
    running: dict[int, asyncio.Task[None]] = {}
    async for number, name, arguments in channel.messages():
        if name == CANCEL:
            if number in running:
                running[number].cancel()
            continue
        job = getattr(worker, name)
        running[number] = asyncio.create_task(_carry_out(channel, number, job, arguments))
        running[number].add_done_callback(partial(_done, channel, running, number))
    left = list(running.values())
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


async def _carry_out(channel: Channel, number: int, job: Any, arguments: tuple[Any, ...]) -> None:
    """Does a job and sends its result; of a fault only the kind, since its text may hold values."""
    try:
        result = await job(*arguments, lambda event: channel.send((number, "event", event)))
        channel.send((number, "result", result))
    except WardroundError as error:
        channel.send((number, type(error).__name__, str(error)))
    except Exception as error:
        log.error("a job %s broke off: %s", job.__name__, type(error).__name__)
        channel.send((number, "fault", f"An answering process failed ({type(error).__name__})."))


def _done(
    channel: Channel,
    running: dict[int, asyncio.Task[None]],
    number: int,
    task: asyncio.Task[None],
) -> None:
    """Forgets a job; one that was cancelled, perhaps before it began, has sent nothing."""
    del running[number]
    if task.cancelled():
        channel.send((number, "cancelled", None))


def _soon(loop: asyncio.AbstractEventLoop, tell: Tell, line: str) -> None:
    """Tells something from a thread."""
    loop.call_soon_threadsafe(tell, line)
