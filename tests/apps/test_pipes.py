"""A pipe in place of a database is refused in a sentence by every command that takes one."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

from tests.cases import one_in
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


# Runs command lines one after another, and prints the exit code and error output of each as JSON.
PROGRAM = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from wardround.apps.command_line import main
results = []
for line in json.load(sys.stdin):
    sys.argv, code = ["wardround", *line], 0
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    results.append((code, said.getvalue()))
print(json.dumps(results))
"""


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    commands = one_in(3, COMMANDS)
    pipes = [tmp_path / name for name in ("pipe", "pipe.duckdb")]
    for pipe in pipes:
        os.mkfifo(pipe)
    lines = [
        command.format(pipe=tmp_path / name, folder=tmp_path).split() for command, name in commands
    ]
    # In a process of their own: one that reads a pipe waits without end.
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(lines),
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
        check=True,
    )
    results = json.loads(ran.stdout)
    assert len(results) == len(commands)
    for (command, name), (code, said) in zip(commands, results, strict=True):
        assert code == 2, command
        assert str(tmp_path / name) in said.replace("\n", ""), command
