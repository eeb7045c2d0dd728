"""A process that is spoken to in lines of JSON, with a conversation for each trial.

Each line is an object with the number of its conversation under `trial`. What the process writes
is judged, never trusted: a line that is no such object ends it.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from wardround.core.serialization import to_line
from wardround.sandbox.privileges import unprivileged

MOST_BYTES = 32 << 20
_MOST_WAITING = 1000
_SHOWN_LETTERS = 100
_LAST_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Ended:
    """The process is gone, and why."""

    reason: str


Inbox: TypeAlias = "asyncio.Queue[dict[str, Any] | Ended]"


class LineProcess:
    """A running process; `started` makes one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._inboxes: dict[int, Inbox] = {}
        self._reading = asyncio.create_task(self._read())
        self._ending = asyncio.create_task(self._wait())
        self.ended: Ended | None = None
        self.lines = 0  # how many it has written

    @classmethod
    async def started(cls, command: Sequence[str]) -> "LineProcess":
        """Start a command with this user's environment, without root's powers.

        Its standard error stays this process's.
        """
        process = await asyncio.create_subprocess_exec(
            *unprivileged(command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MOST_BYTES,
            start_new_session=True,  # Ctrl-C is for the process that started it
        )
        return cls(process)

    def conversation(self, number: int) -> Inbox:
        """The messages of one conversation, and at last why the process ended."""
        inbox: Inbox = asyncio.Queue()
        self._inboxes[number] = inbox
        if self.ended:
            inbox.put_nowait(self.ended)
        return inbox

    def leave(self, number: int) -> None:
        """Drop what the process still says in a conversation."""
        self._inboxes.pop(number, None)

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; if the process has ended, its inbox says so."""
        self.write(message)
        with suppress(ConnectionError):
            await self._stdin.drain()

    def write(self, message: Mapping[str, Any]) -> None:
        """Send a message without waiting until it is taken."""
        if not self.ended:
            self._stdin.write(to_line(dict(message)) + b"\n")

    async def end(self, reason: str) -> None:
        """End it with all that it has started."""
        self._tell(Ended(reason))
        self._kill()
        await self._ending

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        return self._process.stdin

    async def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was started with a pipe
        try:
            while line := await _next_line(self._process.stdout):
                self.lines += 1
                self._deliver(line)
        except ValueError as error:
            self._tell(Ended(str(error)))
            self._kill()

    async def _wait(self) -> None:
        """Wait until it has ended; what it wrote before that is still read."""
        status = await self._process.wait()
        self._kill()
        _, left = await asyncio.wait([self._reading], timeout=_LAST_SECONDS)
        for reading in left:  # a process that it started elsewhere holds its output open
            reading.cancel()
        self._tell(Ended(_how_ended(status)))

    def _kill(self) -> None:
        """End it with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _deliver(self, line: bytes) -> None:
        """Put a message into its inbox; that of a conversation that is over is dropped.

        Raises:
            ValueError: the line is no message, or nobody takes so many.
        """
        try:
            message = orjson.loads(line)
        except orjson.JSONDecodeError:
            message = None
        match message:
            case {"trial": int(number), "type": str()}:
                inbox = self._inboxes.get(number)
            case _:
                shown = line.decode("utf-8", "replace").strip()[:_SHOWN_LETTERS]
                raise ValueError(f"wrote a line that is no message: {shown!r}")
        if inbox is not None:
            if inbox.qsize() >= _MOST_WAITING:
                raise ValueError(f"wrote {_MOST_WAITING} messages that nobody asked for")
            inbox.put_nowait(message)

    def _tell(self, ended: Ended) -> None:
        """Tell every conversation, once, that the process is gone."""
        if self.ended is None:
            self.ended = ended
            for inbox in self._inboxes.values():
                inbox.put_nowait(ended)


async def _next_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        raise ValueError(f"wrote a line of more than {MOST_BYTES >> 20} MB") from None


def _how_ended(status: int) -> str:
    if status < 0:
        return f"was ended by a signal ({signal.strsignal(-status) or -status})"
    return f"ended with exit code {status}"
