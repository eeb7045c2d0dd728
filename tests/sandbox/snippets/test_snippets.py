"""Code of agents runs on given values, without files, network or endless time."""

from collections.abc import Iterator

import pytest

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.snippets.run import ENTRY, Ran, run_snippet

BOUNDS = Bounds(computing=1, silent=3, whole=3, memory=256 << 20)


@pytest.fixture(scope="module")
def processes() -> Iterator[ForkServer]:
    server = ForkServer(ENTRY)
    yield server
    server.close()


def test_code_prints_and_answers(processes: ForkServer) -> None:
    code = "import statistics\nprint(len(numbers))\nanswer = statistics.fmean(numbers)"
    assert run_snippet(code, {"numbers": [1, 2, 6]}, processes, BOUNDS) == Ran("3\n", "3.0")


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("answer = json.loads('[1]') + [math.floor(2.5), statistics.median([3])]", "[1, 2, 3]"),
        ("answer = re.sub('a', 'b', 'a') + str(datetime.date(2100, 1, 1))", "'b2100-01-01'"),
        (
            "from dateutil import parser, relativedelta\n"
            "answer = (parser.parse('1 May 2100') + relativedelta.relativedelta(months=1)).month",
            "6",
        ),
        ("answer = ''", "''"),
        ("answer = 0", "0"),
        ("answer = None", ""),
        ("print(1)", ""),
    ],
)
def test_modules_are_imported_and_answers_are_as_python_writes_them(
    processes: ForkServer, code: str, answer: str
) -> None:
    assert run_snippet(code, {"answer": None}, processes, BOUNDS).answer == answer


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
        ("class A:\n    def __repr__(self): raise ValueError\nanswer = A()", "ValueError"),
    ],
)
def test_code_that_fails_or_is_ended(processes: ForkServer, code: str, error: str) -> None:
    ran = run_snippet(code, {}, processes, BOUNDS)
    assert error in ran.error
    assert not ran.answer
