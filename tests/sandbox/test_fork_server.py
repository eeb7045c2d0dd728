"""The parent process of programs ends with the process that started it."""

import subprocess
import sys

PROGRAM = """
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.snippets.run import ENTRY

server = ForkServer(ENTRY)
with server.process():
    pass
"""


def test_nothing_runs_on_after_a_server_that_nobody_closed() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
