"""Fork servers: separate processes of one preloaded parent, which end with it or before."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.core.errors import InfraError
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.worker import Worker, WorkerEndedError

ENTRY = "tests.sandbox.services:main"
LEFT_OPEN = """
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.snippets.run import ENTRY

server = ForkServer(ENTRY)
with server.process():
    pass
"""


@pytest.fixture
def server() -> Iterator[ForkServer]:
    with closing(ForkServer(ENTRY, ["colorsys"])) as opened:
        yield opened


def test_processes_share_imported_modules_and_nothing_else(server: ForkServer) -> None:
    with closing(Worker(server)) as first, closing(Worker(server)) as second:
        assert first.ask(60, "has", "colorsys").values == (True,)
        assert first.ask(60, "process").values != second.ask(60, "process").values
        first.kill()
        assert not first.alive
        assert second.ask(60, "echo").values == ("echo",)


def test_a_process_that_was_killed_from_outside_is_detected(server: ForkServer) -> None:
    with closing(Worker(server)) as worker:
        (number,) = worker.ask(60, "process").values
        assert worker.alive
        os.kill(number, signal.SIGKILL)
        with pytest.raises(WorkerEndedError):
            worker.ask(60, "echo")
        assert not worker.alive


def test_a_process_of_an_ended_parent_is_left_alone(server: ForkServer) -> None:
    with closing(Worker(server)) as old:
        assert server._zygote is not None
        server._zygote.kill()
        with pytest.raises(InfraError, match="process"):
            Worker(server)
        with closing(Worker(server)) as new:
            old.kill()
            assert new.ask(60, "echo").values == ("echo",)


def test_a_server_that_is_no_longer_used_ends() -> None:
    server = ForkServer(ENTRY)
    with closing(Worker(server)) as worker:
        assert worker.ask(60, "echo").values == ("echo",)
    assert server._zygote is not None
    parent = Path(f"/proc/{server._zygote.pid}")
    del server, worker
    gc.collect()
    assert not parent.exists()


def test_a_server_that_nobody_closed_ends_with_its_process() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", LEFT_OPEN], capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
