"""Forwards the standard error of a process, up to a limit."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

MOST_BYTES = 1 << 20
_CHUNK = 1 << 16


@contextmanager
def error_pipe() -> Iterator[int]:
    """A descriptor for a process's standard error; this process's copy is closed with the block.

    With a pipe, the other process cannot reach the file behind this process's standard error.
    """
    reading, writing = os.pipe()
    Thread(target=_pass_on, args=[reading], daemon=True).start()
    try:
        yield writing
    finally:
        os.close(writing)


def plain(text: str) -> str:
    r"""The text without control characters, which could rewrite a terminal.

    >>> plain("\x1b[2Jdone\n")
    '[2Jdone\n'
    """
    return "".join(each for each in text if each.isprintable() or each in "\n\t")


def _pass_on(reading: int) -> None:
    """Copy a pipe until it closes; output beyond the limit is read and dropped."""
    passed = 0
    while chunk := os.read(reading, _CHUNK):
        if passed < MOST_BYTES:
            sys.stderr.write(plain(chunk.decode("utf-8", "replace")))
            sys.stderr.flush()
            passed += len(chunk)
            if passed >= MOST_BYTES:
                sys.stderr.write("\n(the rest of the agent's error output is left out)\n")
    os.close(reading)
