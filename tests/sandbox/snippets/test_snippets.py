"""Code of agents runs on given values, without files, network or endless time."""

from collections.abc import Iterator

import pytest

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.snippets.run import ENTRY, Ran, run_snippet

BOUNDS = Bounds(computing=2, silent=3, whole=3, memory=256 << 20)


@pytest.fixture(scope="module")
def processes() -> Iterator[ForkServer]:
    server = ForkServer(ENTRY)
    yield server
    server.close()


def test_code_prints_and_answers(processes: ForkServer) -> None:
    code = "import statistics\nprint(len(numbers))\nanswer = statistics.fmean(numbers)"
    assert run_snippet(code, {"numbers": [1, 2, 6]}, processes, BOUNDS) == Ran("3\n", "3.0")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("answer = 1 / 0", "ZeroDivisionError"),
        ("answer = open('/etc/passwd').read()", "Error"),
        ("import socket; socket.socket()", "Error"),
        ("import os; os.system('true')", "Error"),
        ("while True: pass", "it "),
        ("x = 'x' * (1 << 40)", "MemoryError"),
        ("def broken(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
    ],
)
def test_code_that_fails_or_is_ended(processes: ForkServer, code: str, error: str) -> None:
    ran = run_snippet(code, {}, processes, BOUNDS)
    assert error in ran.error
    assert not ran.answer
