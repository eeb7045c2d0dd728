"""A process with a protocol of JSON lines, and a conversation for each trial.

Each line is an object with the number of its conversation under `trial`. The process is not
trusted: any other line ends it.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from wardround.core.serialization import to_line
from wardround.sandbox.confined_process import (
    CROWDED,
    FAILED,
    MOST_PROCESSES,
    OVERFULL,
    OVERSIZED,
)
from wardround.sandbox.error_output import error_pipe
from wardround.sandbox.process_tree import has_only_zombies

MOST_BYTES = 32 << 20
SIZE = "line_bytes"  # the key of a message's length; replaces what the process wrote there
_MOST_WAITING = 1000
_SHOWN_LETTERS = 100
_LAST_SECONDS = 1.0
_PAUSE = 0.01
_ENDINGS = {
    FAILED: "could not be confined",
    OVERFULL: "filled its scratch folder",
    CROWDED: f"started more than {MOST_PROCESSES:,} processes and threads",
    OVERSIZED: "held more than half of the machine's memory",
}
_SIGNALLED = 128  # a shell's exit code for a process ended by a signal is more


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the process, with its reason."""

    reason: str


Inbox: TypeAlias = "asyncio.Queue[dict[str, Any] | Ended]"


class LineProcess:
    """A running process, started by `started`."""

    def __init__(self, process: asyncio.subprocess.Process, on_end: Callable[[], object]) -> None:
        self._process = process
        self._on_end = on_end
        self._inboxes: dict[int, Inbox] = {}
        self._reading = asyncio.create_task(self._read())
        self._ending = asyncio.create_task(self._wait())
        self.ended: Ended | None = None
        self.lines = 0  # number of lines written by the process

    @classmethod
    async def started(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str] | None,
        on_end: Callable[[], object],
    ) -> "LineProcess":
        """Start a command.

        Args:
            command: The command; it and all that it starts in its group end together.
            environment: Its environment; None for the user's.
            on_end: Called when it has ended.
        """
        with error_pipe() as errors:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                env=environment,
                limit=MOST_BYTES,
                start_new_session=True,  # Ctrl-C must reach this process only
            )
        return cls(process, on_end)

    def conversation(self, number: int) -> Inbox:
        """The messages of one conversation; the last is an `Ended`."""
        inbox: Inbox = asyncio.Queue()
        self._inboxes[number] = inbox
        if self.ended:
            inbox.put_nowait(self.ended)
        return inbox

    def leave(self, number: int) -> None:
        """Ignore further messages of a conversation."""
        self._inboxes.pop(number, None)

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; if the process has ended, the inbox receives `Ended`."""
        self.write(message)
        with suppress(ConnectionError):
            await self._stdin.drain()

    def write(self, message: Mapping[str, Any]) -> None:
        """Send a message without waiting for the buffer to drain."""
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
        """Wait for the end of the process, reading its remaining output."""
        status = await self._process.wait()
        self._kill()
        await self._group_ended()
        _, pending = await asyncio.wait([self._reading], timeout=_LAST_SECONDS)
        for reading in pending:  # a detached child process may hold the output open
            reading.cancel()
        self._on_end()
        self._tell(Ended(_exit_reason(status)))

    async def _group_ended(self) -> None:
        """Wait until the killed processes of the group have ended."""
        for _ in range(round(_LAST_SECONDS / _PAUSE)):
            try:
                os.killpg(self._process.pid, 0)
            except ProcessLookupError:
                return
            if has_only_zombies(self._process.pid):
                return
            await asyncio.sleep(_PAUSE)

    def _kill(self) -> None:
        """End it with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _deliver(self, line: bytes) -> None:
        """Put a message into its inbox; messages of finished conversations are dropped.

        Raises:
            ValueError: the line is not a message, or too many are waiting.
        """
        try:
            message = orjson.loads(line)
        except orjson.JSONDecodeError:
            message = None
        match message:
            case {"trial": int(number), "type": str()}:
                inbox = self._inboxes.get(number)
            case _:
                excerpt = line.decode("utf-8", "replace").strip()[:_SHOWN_LETTERS]
                raise ValueError(f"wrote a line that is not a message: {excerpt!r}")
        if inbox is not None:
            if inbox.qsize() >= _MOST_WAITING:
                raise ValueError(f"wrote {_MOST_WAITING} messages that nobody asked for")
            inbox.put_nowait({**message, SIZE: len(line)})

    def _tell(self, ended: Ended) -> None:
        """Send `Ended` to every conversation, once."""
        if self.ended is None:
            self.ended = ended
            for inbox in self._inboxes.values():
                inbox.put_nowait(ended)


async def _next_line(stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:
        raise ValueError(f"wrote a line of more than {MOST_BYTES >> 20} MB") from None


def _exit_reason(status: int) -> str:
    number = -status if status < 0 else status - _SIGNALLED
    if 0 < number < signal.NSIG:
        return f"was ended by a signal ({signal.strsignal(number) or number})"
    return _ENDINGS.get(status, f"ended with exit code {status}")
