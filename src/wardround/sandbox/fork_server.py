"""Starts and ends a process for each program, through a preloaded parent process."""

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
        channel: The socket on which it asks and is answered.
    """

    def __init__(self, server: "ForkServer", channel: socket, number: int) -> None:
        self.channel = channel
        self._server = server
        self._number = number
        self._status: int | None = None

    def end(self) -> int:
        """End it if it has not ended; its status, as `os.waitpid` gives it."""
        if self._status is None:
            self._status = self._server.request(self._number, None)
        return self._status


class ForkServer:
    """Makes processes for programs; any thread may ask. Nothing runs until one does.

    Args:
        entry: `module:function` that prepares the process to fork from and calls
            `zygote.serve_forks`.
    """

    def __init__(self, entry: str) -> None:
        self._entry = entry
        self._lock = Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket | None = None

    @contextmanager
    def process(self) -> Iterator[ForkedProcess]:
        """Make a process for one program, which ends with the block.

        Raises:
            InfraError: None can be made.
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
        """Have a process made for a channel, or the one of a number ended; the answer.

        Raises:
            InfraError: The process that does it has ended; the next request starts another.
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
        """End all of them; closing twice is fine, and the next request starts another."""
        with self._lock:
            self._close()

    def _open(self) -> socket:
        self._control, theirs = socketpair()
        with theirs:
            self._zygote = start_interpreter(self._entry, theirs)
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
