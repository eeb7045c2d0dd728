"""Processes for test programs, made and ended by one that is kept for it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from socket import send_fds, socket, socketpair
from threading import Lock

from wardround.benchmarks.interact.test_programs.zygote import WORD
from wardround.core.errors import InfraError

_START = """
import sys
sys.path[:] = sys.argv[2:]
from wardround.benchmarks.interact.test_programs.zygote import main
main(int(sys.argv[1]))
"""
_ENVIRONMENT = {"TZ": "UTC", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PATIENCE_SECONDS = 60


class Running:
    """The process of one program.

    Attributes:
        channel: Where it asks and is answered.
    """

    def __init__(self, processes: "Processes", channel: socket, number: int) -> None:
        self.channel = channel
        self._processes = processes
        self._number = number
        self._status: int | None = None

    def end(self) -> int:
        """End it if it has not ended; how it ended, as `os.wait` tells it."""
        if self._status is None:
            self._status = self._processes.order(self._number, None)
        return self._status


class Processes:
    """Makes processes for programs; any thread may ask for one. Nothing runs until one does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket | None = None

    @contextmanager
    def begin(self) -> Iterator[Running]:
        """A process for one program, ended with the block.

        Raises:
            InfraError: None can be made.
        """
        ours, theirs = socketpair()
        with ours:
            with theirs:
                number = self.order(0, theirs)
            running = Running(self, ours, number)
            try:
                yield running
            finally:
                running.end()

    def order(self, number: int, channel: socket | None) -> int:
        """Have a process made for a channel, or the one of a number ended; the answer.

        Raises:
            InfraError: The process that does it has ended; the next order finds another.
        """
        with self._lock:
            control = self._control or self._open()
            try:
                send_fds(control, [number.to_bytes(WORD)], [channel.fileno()] if channel else [])
                answer = control.recv(WORD)
            except OSError as error:
                self._close()
                raise InfraError(f"No process for a test program ({error}).") from error
            if not answer:
                self._close()
                raise InfraError("The process that makes those of test programs has ended.")
            return int.from_bytes(answer)

    def close(self) -> None:
        """End all of them; closing twice is fine, and the next order begins anew."""
        with self._lock:
            self._close()

    def _open(self) -> socket:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._control, theirs = socketpair()
        with theirs:
            self._zygote = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-I", "-S", "-c", _START, str(theirs.fileno()), *sys.path],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=kept | _ENVIRONMENT,
                cwd="/",
            )
        self._control.settimeout(_PATIENCE_SECONDS)
        return self._control

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._zygote is not None:
            self._zygote.kill()
            self._zygote.wait()
            self._zygote = None
