"""Drops privileges before an external agent runs, and hides other processes from it."""

import ctypes
import struct
import sys
from collections.abc import Sequence

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_FROM_BOUNDING_SET = 1, 4, 24
_SET_NO_NEW_PRIVILEGES, _AMBIENT, _CLEAR_AMBIENT = 38, 47, 4
_KILL_SIGNAL = 9
_CAPABILITIES = 64
_CAPABILITIES_VERSION = 0x20080522

# Drops root's privileges and executes the program named by its arguments.
_BECOME = """
import sys
count = int(sys.argv[1])
sys.path[:] = sys.argv[2:2 + count]
from wardround.sandbox.privileges import drop_privileges
drop_privileges()
import os
os.execvp(sys.argv[2 + count], sys.argv[2 + count:])
"""


def hide_memory() -> None:
    """Hide this process's memory from other processes of the same user, on Linux.

    Otherwise an agent's process could read the tasks' gold from `/proc/PID/mem`.
    """
    if sys.platform == "linux":
        prctl(_SET_DUMPABLE, 0)


def unprivileged(command: Sequence[str]) -> list[str]:
    """The command that runs another without root's privileges, which see any process's memory."""
    folders = [folder for folder in sys.path if folder]
    start = [sys.executable, "-I", "-S", "-c", _BECOME, str(len(folders)), *folders]
    return [*start, *command]


def drop_privileges() -> None:
    """Give up root's privileges irrevocably, and end when the parent process ends."""
    if sys.platform != "linux":
        return
    for capability in range(_CAPABILITIES):
        prctl(_DROP_FROM_BOUNDING_SET, capability)
    prctl(_AMBIENT, _CLEAR_AMBIENT)
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITIES_VERSION, 0))
    ctypes.CDLL(None, use_errno=True).capset(header, ctypes.create_string_buffer(24))
    prctl(_SET_NO_NEW_PRIVILEGES, 1)
    prctl(_SET_DEATH_SIGNAL, _KILL_SIGNAL)


def prctl(what: int, *arguments: int) -> int:
    """Call prctl for this process; returns 0 on success."""
    words = [ctypes.c_ulong(each) for each in (*arguments, 0, 0, 0, 0)[:4]]
    status: int = ctypes.CDLL(None, use_errno=True).prctl(what, *words)
    return status
