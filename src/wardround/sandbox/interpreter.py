"""Starts a Python process with wardround's code and without the user's environment."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from socket import socket

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
    )
