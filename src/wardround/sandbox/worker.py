"""A process that answers requests, one at a time; interrupted when late, ended when it is deaf."""

import subprocess
from dataclasses import dataclass
from socket import socketpair
from threading import Lock
from typing import Any

from wardround.sandbox.interpreter import start_interpreter
from wardround.sandbox.messages import receive, send

# Seconds after its deadline that a request may take to end before its process is killed.
GRACE_SECONDS = 0.5
# An interrupt that comes before the work has begun is lost, so it is sent again.
_REPEAT_SECONDS = 0.05


class WorkerEndedError(Exception):
    """The process ended over a request."""


class WorkerLateError(Exception):
    """The process did not stop when it was interrupted, and was ended."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request.

    Attributes:
        values: Plain data.
        interrupted: True if the process was asked to stop before it answered.
    """

    values: tuple[Any, ...]
    interrupted: bool = False


class Worker:
    """The parent's end of a process; see `service` for the other.

    Args:
        entry: `module:function`, called there with the number of the socket's descriptor.
    """

    def __init__(self, entry: str) -> None:
        self._lock = Lock()
        self._number = 0
        self._channel, theirs = socketpair()
        with theirs:
            self._process = start_interpreter(entry, theirs, stdin=subprocess.PIPE)

    @property
    def alive(self) -> bool:
        """True if it takes another request."""
        return self._process.poll() is None

    def ask(self, seconds: float | None, *request: object) -> Reply:
        """Send a request of plain data and wait for the answer.

        Args:
            seconds: How long to wait before the request is interrupted; None waits for ever.
            *request: A name and its arguments.

        Raises:
            WorkerEndedError: If the process ended by itself.
            WorkerLateError: If it did not answer in time, nor when it was interrupted.
        """
        self._number += 1
        try:
            send(self._channel, self._number, *request)
            return self._reply(seconds)
        except (EOFError, OSError) as error:
            self.kill()
            raise WorkerEndedError from error

    def kill(self) -> None:
        """End it, whatever it does; a request that it works on fails."""
        with self._lock:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End it and close what led to it."""
        self.kill()
        if self._process.stdin:
            self._process.stdin.close()
        self._channel.close()

    def _reply(self, seconds: float | None) -> Reply:
        try:
            return Reply(receive(self._channel, seconds))
        except TimeoutError:
            return Reply(self._interrupted_answer(), interrupted=True)

    def _interrupted_answer(self) -> tuple[Any, ...]:
        for _ in range(round(GRACE_SECONDS / _REPEAT_SECONDS)):
            self._interrupt()
            try:
                return receive(self._channel, _REPEAT_SECONDS)
            except TimeoutError:
                continue
        self.kill()
        raise WorkerLateError

    def _interrupt(self) -> None:
        if self._process.stdin:
            self._process.stdin.write(b"%d\n" % self._number)
            self._process.stdin.flush()
