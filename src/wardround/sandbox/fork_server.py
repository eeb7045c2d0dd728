"""Forks a process for each program from a preloaded parent process."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import send_fds, socket, socketpair
from threading import Lock
from weakref import finalize

from wardround.core.errors import InfraError
from wardround.sandbox.zygote import WORD

_START = """
import sys
entry, modules, number, *sys.path[:] = sys.argv[1:]
from importlib import import_module
for module in modules.split():
    import_module(module)
module, _, function = entry.partition(":")
getattr(import_module(module), function)(int(number))
"""
# No API keys and no home folder, so that functions that read settings find none of the user's.
_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_ENVIRONMENT = {"TZ": "UTC", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}

_ANSWER_SECONDS = 60


class ForkedProcess:
    """The process of one program."""

    def __init__(self, server: "ForkServer", control: socket, number: int) -> None:
        self._server = server
        self._control = control
        self._number = number
        self._status: int | None = None

    def end(self) -> int:
        """Kill the process if it still runs; returns its status as `os.waitpid` does."""
        if self._status is None:
            self._status = self._server.end(self._control, self._number)
        return self._status


class ForkServer:
    """Forks processes for programs; thread-safe. The parent process starts on first use.

    Args:
        entry: `module:function` that prepares the parent process and calls `zygote.serve_forks`.
        modules: Modules that the parent process imports before.
    """

    def __init__(self, entry: str, modules: Sequence[str] = ()) -> None:
        self._entry = entry
        self._modules = modules
        self._lock = Lock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket | None = None
        self._close_opened: finalize[..., ForkServer] | None = None

    @contextmanager
    def process(self) -> Iterator[tuple[ForkedProcess, socket]]:
        """Fork a process for one program, with a socket to it; it is ended with the block.

        Raises:
            InfraError: No process can be started.
        """
        ours, theirs = socketpair()
        with ours:
            with theirs:
                process = self.start(theirs)
            try:
                yield process, ours
            finally:
                process.end()

    def start(self, *sockets: socket) -> ForkedProcess:
        """Fork a process with sockets, of which the caller closes its own copies.

        Raises:
            InfraError: No process can be started.
        """
        with self._lock:
            control = self._control or self._open()
            number = self._ask(control, 0, [each.fileno() for each in sockets])
        return ForkedProcess(self, control, number)

    def end(self, control: socket, number: int) -> int:
        """End a process of the parent process that a socket controls; returns its status.

        The number may be another process's by now if that parent process has ended: then nothing
        is killed, and the status is 0.

        Raises:
            InfraError: The parent process has ended meanwhile.
        """
        with self._lock:
            return self._ask(control, number, []) if control is self._control else 0

    def close(self) -> None:
        """End all processes; idempotent. The next process starts a new parent process."""
        with self._lock:
            self._close()

    def _ask(self, control: socket, number: int, descriptors: Sequence[int]) -> int:
        """Request a process for descriptors, or the end of one; the next request may try again."""
        try:
            send_fds(control, [number.to_bytes(WORD)], descriptors)
            answer = control.recv(WORD)
        except OSError as error:
            self._close()
            raise InfraError(f"No process can be started for a program ({error}).") from error
        if not answer:
            self._close()
            raise InfraError("The process that starts programs has ended.")
        return int.from_bytes(answer)

    def _open(self) -> socket:
        self._control, theirs = socketpair()
        with theirs:
            self._zygote = start_interpreter(self._entry, theirs, self._modules)
        self._control.settimeout(_ANSWER_SECONDS)
        self._close_opened = finalize(self, _close, self._control, self._zygote)
        return self._control

    def _close(self) -> None:
        self._control = self._zygote = None
        if self._close_opened is not None:
            self._close_opened()


def _close(control: socket, zygote: "subprocess.Popen[bytes]") -> None:
    control.close()
    zygote.kill()
    zygote.wait()


def start_interpreter(
    entry: str, channel: socket, modules: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """Start a process that calls a function with a socket's descriptor number.

    It has no environment variables or site start-up code, runs in the root folder, and its output
    is discarded.

    Args:
        entry: `module:function`.
        channel: The socket to pass on; the caller closes its own copy.
        modules: Modules to import before.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    folders = [folder for folder in sys.path if Path(folder).is_absolute()]
    words = [entry, " ".join(modules), str(channel.fileno()), *folders]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-I", "-S", "-c", _START, *words],
        pass_fds=[channel.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=inherited | _ENVIRONMENT,
        cwd="/",
        # Ctrl+C and supervisors signal a whole group; only the program itself may end this one.
        process_group=0,
    )
