"""A pipe in place of a database is refused in a sentence by every command that takes one."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from wardround.core import plugins

FIRST, *OTHERS = [
    f"run {name} --agent oracle --database {{pipe}} --out {{folder}}/run"
    for name in plugins.names("wardround.benchmarks")
]
# The name decides the engine that would open it; all runs ask for it in the same way.
COMMANDS = [
    *product(
        (
            "doctor {pipe}",
            "data fhir --from {pipe} --to {folder}/new.fhir",
            "fhir serve {pipe}",
            FIRST,
        ),
        ("pipe", "pipe.duckdb"),
    ),
    *((command, "pipe") for command in OTHERS),
]


@pytest.mark.parametrize(("command", "name"), COMMANDS)
def test_a_pipe_is_refused(tmp_path: Path, command: str, name: str) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    words = command.format(pipe=pipe, folder=tmp_path).split()
    ran = subprocess.run(
        [sys.executable, "-m", "wardround", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ran.returncode not in (0, -9)
    assert "Traceback" not in ran.stderr
    assert str(pipe) in ran.stderr.replace("\n", "")
