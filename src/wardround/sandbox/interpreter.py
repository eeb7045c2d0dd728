"""Starts a Python process with wardround's code and without the user's environment."""

import os
import subprocess
import sys
from pathlib import Path
from socket import socket

_START = """
import sys
entry, number, *sys.path[:] = sys.argv[1:]
from importlib import import_module
module, _, function = entry.partition(":")
getattr(import_module(module), function)(int(number))
"""
# No API keys and no home folder, so that functions that read settings find none of the user's.
_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_ENVIRONMENT = {"TZ": "UTC", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def start_interpreter(
    entry: str, channel: socket, *, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a process that calls a function with a socket's descriptor number.

    It has no environment variables or site start-up code, runs in the root folder, and its output
    is discarded.

    Args:
        entry: `module:function`.
        channel: The socket to pass on; the caller closes its own copy.
        stdin: The standard input, as for `subprocess.Popen`.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    folders = [folder for folder in sys.path if Path(folder).is_absolute()]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-I", "-S", "-c", _START, entry, str(channel.fileno()), *folders],
        pass_fds=[channel.fileno()],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=inherited | _ENVIRONMENT,
        cwd="/",
    )
