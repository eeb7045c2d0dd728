"""Starts a Python process that has wardround's code and nothing of the user's."""

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
# No keys and no home: nothing of the user's is in reach of a function that reads settings.
_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_ENVIRONMENT = {"TZ": "UTC", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


def start_interpreter(
    entry: str, channel: socket, *, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a process that calls a function with the number of a socket's descriptor.

    It sees no environment, no arguments but these, no site packages' start-up code, and no folder
    but the root; what it prints is thrown away.

    Args:
        entry: `module:function`.
        channel: The socket that the process gets; the caller closes its own copy.
        stdin: What the process reads from, as `subprocess.Popen` takes it.
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
