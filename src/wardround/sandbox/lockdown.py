"""Irrevocable restrictions of a process before it runs untrusted code."""

import resource
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from wardround.sandbox.privileges import prctl
from wardround.sandbox.resource_limits import address_space_bytes, set_hard_limits
from wardround.sandbox.seccomp import install, program_filter, supported

_SET_DEATH_SIGNAL, _KILL_SIGNAL = 1, 9

_FORBIDDEN: Mapping[str, str] = MappingProxyType(
    {
        "socket": "use the network",
        "os.fork": "start a process",
        "os.forkpty": "start a process",
        "os.exec": "start a process",
        "os.posix_spawn": "start a process",
        "os.spawn": "start a process",
        "os.startfile": "start a process",
        "os.system": "start a process",
        "pty.spawn": "start a process",
        "subprocess.Popen": "start a process",
        "_thread.start_new_thread": "start a thread",
        "_thread.start_joinable_thread": "start a thread",
        "os.kill": "end a process",
        "os.killpg": "end a process",
        "signal.pthread_kill": "end a process",
        "ctypes": "leave Python",
        "resource": "change its limits",
        "open": "open a file",
        "os": "touch files",
        "glob": "touch files",
        "shutil": "touch files",
        "tempfile": "touch files",
        "sqlite3": "open a file",
    }
)
# Modules needed by the process itself but withheld from programs.
_WITHHELD = ("_ctypes", "_socket", "ctypes", "resource", "socket", "subprocess", "threading")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Resource limits of a program.

    Attributes:
        computing: Seconds of CPU time.
        silent: Seconds between its messages.
        whole: Seconds of wall-clock time in total, including the requests it makes.
        memory: Bytes in addition to its memory at the start.
    """

    computing: int = 10
    silent: float = 10
    whole: float = 300
    memory: int = 512 << 20


class ForbiddenError(PermissionError):
    """An untrusted program tried a forbidden operation."""


def prepare_lockdown(programs: str) -> "Lockdown":
    """Read the data for `Lockdown.apply` while files are still accessible.

    Args:
        programs: Name of the programs in messages, such as "test programs".
    """
    return Lockdown(program_filter() if supported() else b"", address_space_bytes(), programs)


class Lockdown:
    """The limits of a process that runs a program.

    Args:
        filter: The seccomp filter; empty on systems other than Linux.
        initial_bytes: Memory of the process at the start; 0 if unknown.
        programs: Name of the programs in messages.
    """

    def __init__(self, filter: bytes, initial_bytes: int, programs: str) -> None:
        self._filter = filter
        self._initial_bytes = initial_bytes
        self._programs = programs

    def apply(self, bounds: Bounds) -> tuple[str, ...]:
        """Give up files, network and processes, and limit memory and time, irrevocably.

        Returns:
            Descriptions of restrictions that cannot be enforced on this system.
        """
        gaps = [*self._limit_resources(bounds), *self._refuse_calls()]
        sys.addaudithook(_audit_hook(self._programs))
        for module in _WITHHELD:
            sys.modules.pop(module, None)
        return tuple(gaps)

    def _limit_resources(self, bounds: Bounds) -> list[str]:
        # The soft limit sends a signal one second before the hard limit kills the process.
        limits = {
            resource.RLIMIT_CORE: (0, 0),
            resource.RLIMIT_CPU: (bounds.computing, bounds.computing + 1),
            resource.RLIMIT_FSIZE: (0, 0),
            resource.RLIMIT_NOFILE: (0, 0),
            resource.RLIMIT_NPROC: (0, 0),
        }
        if self._initial_bytes:
            limits[resource.RLIMIT_AS] = (self._initial_bytes + bounds.memory,) * 2
        set_hard_limits(limits)
        if self._initial_bytes:
            return []
        return [f"the memory of {self._programs} is not bounded on this system"]

    def _refuse_calls(self) -> list[str]:
        if not self._filter:
            return [f"no system calls of {self._programs} are refused on this system"]
        prctl(_SET_DEATH_SIGNAL, _KILL_SIGNAL)
        try:
            install(self._filter)
        except OSError as error:
            return [f"no system calls of {self._programs} are refused here ({error.strerror})"]
        return []


def _audit_hook(programs: str) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook, which describes a forbidden operation before the system refuses it."""

    def forbid(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            raise ImportError(f"{programs} cannot import {arguments[0]}")
        action = _FORBIDDEN.get(event) or _FORBIDDEN.get(event.partition(".")[0])
        if action and event != "os.putenv":
            raise ForbiddenError(f"it tried to {action}")

    return forbid
