"""System calls that Python's standard library lacks."""

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)


def system_call(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call; returns its result.

    Args:
        number: Its number.
        arguments: Integers, bytes by address, or None for a null pointer.

    Raises:
        OSError: The system refused it.
    """
    words = [
        ctypes.c_ulong(each & (2**64 - 1)) if isinstance(each, int) else each for each in arguments
    ]
    result: int = _LIBC.syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def mount(source: str, at: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system, or change a mount.

    Raises:
        OSError: The system refused it.
    """
    texts = [text.encode() or None for text in (source, at, kind, options)]
    if _LIBC.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), at)
