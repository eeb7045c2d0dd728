"""Agents' programs: their results, and what they cannot do."""

from collections.abc import Iterator

import pytest

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.programs import ENTRY, ProgramResult, run_program


@pytest.fixture(scope="module")
def processes() -> Iterator[ForkServer]:
    server = ForkServer(ENTRY)
    yield server
    server.close()


def test_a_program_reads_its_values_and_answers(processes: ForkServer) -> None:
    source = "import json\nprint(len(rows))\nanswer = sum(rows)"
    assert run_program(source, {"rows": [1, 2]}, processes) == ProgramResult("2\n", "3", "")


def test_an_error_keeps_what_was_printed(processes: ForkServer) -> None:
    result = run_program("print('before')\nmissing", {}, processes)
    assert result == ProgramResult("before\n", "", "NameError: name 'missing' is not defined")


@pytest.mark.parametrize(
    "source",
    [
        "open('/etc/passwd').read()",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
        "import os; os.system('true')",
        "import subprocess; subprocess.run(['true'])",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:1')",
    ],
)
def test_files_network_and_processes_are_refused(processes: ForkServer, source: str) -> None:
    assert run_program(source, {}, processes).error


def test_an_endless_program_is_ended(processes: ForkServer) -> None:
    bounds = Bounds(computing=60, silent=0.3, whole=0.3)
    assert run_program("while True: pass", {}, processes, bounds).error == "it took more than 0.3 s"


def test_programs_share_nothing(processes: ForkServer) -> None:
    run_program("import json; json.leak = 1", {}, processes)
    assert "AttributeError" in run_program("import json; answer = json.leak", {}, processes).error
