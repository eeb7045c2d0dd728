"""Forks a process for each program from a preloaded parent process."""

import atexit
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from socket import send_fds, socket, socketpair
from threading import Lock

from wardround.core.errors import InfraError
from wardround.sandbox.interpreter import start_interpreter
from wardround.sandbox.zygote import WORD

_ANSWER_SECONDS = 60


class ForkedProcess:
    """The process of one program.

    Attributes:
        channel: The socket for its requests and their answers.
    """

    def __init__(self, server: "ForkServer", channel: socket, number: int) -> None:
        self.channel = channel
        self._server = server
        self._number = number
        self._status: int | None = None

    def end(self) -> int:
        """Kill the process if it still runs; returns its status as `os.waitpid` does."""
        if self._status is None:
            self._status = self._server.request(self._number, None)
        return self._status


class ForkServer:
    """Forks processes for programs; thread-safe. The parent process starts on first use.

    It ends with this process at the latest, for a server may live as long as its module.

    Args:
        entry: `module:function` that prepares the parent process and calls `zygote.serve_forks`.
    """

    def __init__(self, entry: str) -> None:
        self._entry = entry
        self._lock = Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket | None = None

    @contextmanager
    def process(self) -> Iterator[ForkedProcess]:
        """Fork a process for one program; it is ended with the block.

        Raises:
            InfraError: No process can be started.
        """
        ours, theirs = socketpair()
        with ours:
            with theirs:
                number = self.request(0, theirs)
            process = ForkedProcess(self, ours, number)
            try:
                yield process
            finally:
                process.end()

    def request(self, number: int, channel: socket | None) -> int:
        """Fork a process for a channel, or end the process of a number without one.

        Returns:
            The number of the new process, or the status of the ended one.

        Raises:
            InfraError: The parent process has ended; the next request starts a new one.
        """
        with self._lock:
            control = self._control or self._open()
            try:
                send_fds(control, [number.to_bytes(WORD)], [channel.fileno()] if channel else [])
                answer = control.recv(WORD)
            except OSError as error:
                self._close()
                raise InfraError(f"No process can be started for a program ({error}).") from error
            if not answer:
                self._close()
                raise InfraError("The process that starts test programs has ended.")
            return int.from_bytes(answer)

    def close(self) -> None:
        """End all processes; idempotent. The next request starts a new parent process."""
        with self._lock:
            self._close()

    def _open(self) -> socket:
        self._control, theirs = socketpair()
        with theirs:
            self._zygote = start_interpreter(self._entry, theirs)
        atexit.register(self.close)
        self._control.settimeout(_ANSWER_SECONDS)
        return self._control

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._zygote is not None:
            self._zygote.kill()
            self._zygote.wait()
            self._zygote = None
            atexit.unregister(self.close)
