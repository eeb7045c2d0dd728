"""The registry of attacks by kind, and what they share."""

import ctypes
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

# Returns something true if it got what it must not get; raises or returns nothing otherwise.
Attack: TypeAlias = Callable[[dict[str, Any]], object]

LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS: dict[str, list[Attack]] = {}


def attack(kind: str) -> Callable[[Attack], Attack]:
    """Adds a function to the attacks of a kind."""

    def add(function: Attack) -> Attack:
        ATTACKS.setdefault(kind, []).append(function)
        return function

    return add


def carried_out(kind: str, targets: dict[str, Any]) -> dict[str, str]:
    """Carries out the attacks of a kind; returns what those that worked got, by name."""
    got = {}
    for each in ATTACKS[kind]:
        try:
            result = each(targets)
        except BaseException:  # an attack that raises did not work
            continue
        if result:
            got[each.__name__] = str(result)[:200]
    return got


def system_call(number: int, *arguments: Any) -> int:
    """Makes a system call by its number on x86_64.

    Raises:
        OSError: it failed, or the numbers are another machine's.
    """
    if platform.machine() != "x86_64":
        raise OSError("the numbers of system calls are those of x86_64")
    result: int = LIBC.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read_text(path: str) -> str:
    """The content of a file; "" if it cannot be read."""
    try:
        return Path(path).read_bytes().decode("latin-1") if os.path.isfile(path) else ""
    except OSError:
        return ""
