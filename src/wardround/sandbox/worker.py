"""A process that answers requests one at a time, interrupted when late and then killed."""

from contextlib import suppress
from dataclasses import dataclass
from socket import MSG_DONTWAIT, MSG_PEEK, socketpair
from threading import Lock
from time import monotonic
from typing import Any

from wardround.core.cancellation import is_cancelled
from wardround.core.errors import InfraError
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.messages import receive, send

# Seconds after its deadline that a request may take to end before its process is killed.
GRACE_SECONDS = 0.5
# An interrupt that arrives before the work has begun is lost, so it is repeated.
_REPEAT_SECONDS = 0.05
# Seconds between two looks at whether somebody still waits for the answer.
_LOOK_EVERY = 0.2


class WorkerEndedError(Exception):
    """The process ended during a request."""


class WorkerLateError(Exception):
    """The process ignored an interrupt and was killed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request.

    Attributes:
        values: The answer, as plain data.
        interrupted: True if the request was interrupted.
    """

    values: tuple[Any, ...]
    interrupted: bool = False


class Worker:
    """The parent's end of a process; see `service` for the subprocess.

    Args:
        processes: Forks the process, which calls `service.serve`.

    Raises:
        InfraError: No process can be started.
    """

    def __init__(self, processes: ForkServer) -> None:
        self._lock = Lock()
        self._number = 0
        self._channel, requests = socketpair()
        self._interrupts, numbers = socketpair()
        with requests, numbers:
            try:
                self._process = processes.start(requests, numbers)
            except InfraError:
                self._close_sockets()
                raise

    @property
    def alive(self) -> bool:
        """True if the process can take another request."""
        try:
            # An end, or an answer that came after its deadline: the process was killed by then.
            self._channel.recv(1, MSG_PEEK | MSG_DONTWAIT)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def ask(self, seconds: float | None, *request: object) -> Reply:
        """Send a request of plain data and wait for the answer.

        Args:
            seconds: Deadline after which the request is interrupted; None waits forever.
            *request: The request's name and its arguments.

        Raises:
            WorkerEndedError: If the process ended by itself.
            WorkerLateError: If it missed the deadline and ignored the interrupt.
        """
        self._number += 1
        try:
            send(self._channel, self._number, *request)
            return self._reply(seconds)
        except (EOFError, OSError) as error:
            self.kill()
            raise WorkerEndedError from error

    def kill(self) -> None:
        """Kill the process; a running request fails.

        If what starts the processes has ended, the process ends with its request.
        """
        with self._lock, suppress(InfraError):
            self._process.end()

    def close(self) -> None:
        """End the process and close the sockets."""
        self.kill()
        self._close_sockets()

    def _close_sockets(self) -> None:
        self._interrupts.close()
        self._channel.close()

    def _reply(self, seconds: float | None) -> Reply:
        """The answer, or that to an interrupt at the deadline or once nobody waits for it."""
        if seconds is None:
            return Reply(receive(self._channel))
        deadline = monotonic() + seconds
        while (left := deadline - monotonic()) > 0 and not is_cancelled():
            with suppress(TimeoutError):
                return Reply(receive(self._channel, min(left, _LOOK_EVERY)))
        return Reply(self._interrupted_answer(), interrupted=True)

    def _interrupted_answer(self) -> tuple[Any, ...]:
        for _ in range(round(GRACE_SECONDS / _REPEAT_SECONDS)):
            self._interrupts.sendall(b"%d\n" % self._number)
            try:
                return receive(self._channel, _REPEAT_SECONDS)
            except TimeoutError:
                continue
        self.kill()
        raise WorkerLateError
