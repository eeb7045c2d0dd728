"""A worker process as the server sees it: its jobs, and the parts that it has open."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from socket import socketpair
from typing import Any, Self

from wardround.assistant.channel import Channel
from wardround.assistant.users import UnavailableError
from wardround.assistant.worker import CANCEL, run
from wardround.core.errors import InfraError, UserError, WardroundError
from wardround.core.limits import Limits
from wardround.core.url_passwords import known_passwords, with_passwords
from wardround.runs.settings import RunSettings

log = logging.getLogger(__name__)

# The time that a process has to cancel a job, or to end by itself.
_SECONDS = 30.0
_ERRORS = {kind.__name__: kind for kind in (UnavailableError, UserError)}


class ProcessEndedError(WardroundError):
    """The process ended before it had done a job."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job in progress: its outcome with the content, and what takes the events until then."""

    outcome: "asyncio.Future[tuple[str, Any]]"
    on_event: Callable[[Any], None]


class WorkerHandle:
    """Gives a process jobs, and takes their results; see `start`.

    Attributes:
        ended: set once the process has ended.
        held: the ids of the conversations that are pinned to it.
    """

    def __init__(self, process: BaseProcess, channel: Channel) -> None:
        self.ended = asyncio.Event()
        self.held: set[str] = set()
        self._process = process
        self._channel = channel
        self._jobs: dict[int, _Job] = {}
        self._numbers = count()
        self._parts: set[int] = set()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, settings: RunSettings, folder: Path, limits: Limits) -> Self:
        """Starts a process, which has nothing open yet."""
        own_end, other_end = socketpair()
        with other_end:
            process = get_context("spawn").Process(
                target=with_passwords(run),
                args=(other_end, settings, folder, limits),
            )
            process.start()
        return cls(process, await Channel.over(own_end))

    @property
    def load(self) -> tuple[int, int]:
        """Its jobs in progress and its conversations, by which the idlest process is found."""
        return len(self._jobs), len(self.held)

    async def open(self, part: int, location: str, progress: Callable[[str], None]) -> None:
        """Opens a part of the database, unless it is open.

        Raises:
            UserError: it cannot be opened.
            ProcessEndedError: the process ended.
        """
        if part not in self._parts:
            await self.carry_out("open", part, location, known_passwords(), on_event=progress)
            self._parts.add(part)

    async def carry_out(
        self, name: str, *arguments: Any, on_event: Callable[[Any], None] = lambda event: None
    ) -> Any:
        """Gives the process a job and waits until it is done; a cancelled caller cancels the job.

        A process that does not cancel it in time hangs, and is ended.

        Args:
            name: a method of `Worker`.
            arguments: its arguments.
            on_event: takes what it tells before it is done, also while it is being cancelled.

        Raises:
            ProcessEndedError: the process ended before the job was done.
            WardroundError: raised by the job.
        """
        if self.ended.is_set():
            raise ProcessEndedError
        number, outcome = next(self._numbers), asyncio.get_running_loop().create_future()
        self._jobs[number] = _Job(outcome, on_event)
        self._channel.send((number, name, arguments))
        try:
            await asyncio.wait({outcome})
        except asyncio.CancelledError:
            self._channel.send((number, CANCEL, ()))
            await asyncio.wait({outcome}, timeout=_SECONDS)
            if not outcome.done():
                log.error("an answering process hangs, so it is ended")
                self.kill()
            raise
        finally:
            del self._jobs[number]
        return _result(*outcome.result())

    def end(self, id: str) -> None:
        """Ends a conversation or a person's calls, and waits for nothing."""
        self.held.discard(id)
        self._channel.send((next(self._numbers), "end", (id,)))

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    async def close(self) -> int | None:
        """Ends the process, by force if it does not end by itself, and returns its exit code."""
        self._channel.close()
        await asyncio.to_thread(self._process.join, _SECONDS)
        if self._process.is_alive():
            self._process.kill()
            await asyncio.to_thread(self._process.join)
        await asyncio.wait({self._reading})
        return self._process.exitcode

    async def _read(self) -> None:
        try:
            async for number, kind, content in self._channel.messages():
                job = self._jobs.get(number)
                if job is not None and kind == "event":
                    job.on_event(content)
                elif job is not None and not job.outcome.done():
                    job.outcome.set_result((kind, content))
        except Exception as error:  # whose words may hold values
            log.error("an answering process is not understood: %s", type(error).__name__)
            self.kill()
        self.ended.set()
        for job in self._jobs.values():
            if not job.outcome.done():
                job.outcome.set_result(("ended", None))


def _result(kind: str, content: Any) -> Any:
    match kind:
        case "result":
            return content
        case "ended" | "cancelled":
            raise ProcessEndedError
        case _:
            raise _ERRORS.get(kind, InfraError)(content)
