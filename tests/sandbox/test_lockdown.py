"""Lockdown of a process on systems that cannot enforce all limits."""

import os
import subprocess
import sys


def test_lockdown_reports_gaps_and_keeps_files_shut() -> None:
    script = """
import os, socket
from wardround.sandbox.lockdown import Bounds, Lockdown
number = os.open("/", os.O_RDONLY)
os.close(number)
print(len(Lockdown(b"", 0, "programs").apply(Bounds())))
for attempt in (lambda: open("/etc/passwd"), lambda: socket.socket(), lambda: os.fork()):
    try:
        attempt()
    except PermissionError as error:
        print(error)
"""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=path
    )
    assert result.stdout.splitlines() == [
        "2",
        "it tried to open a file",
        "it tried to use the network",
        "it tried to start a process",
    ]
