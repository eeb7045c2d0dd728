"""The task of the README can be pasted, with the commands below it."""

import re
import shlex
from pathlib import Path

import pytest

from tests.apps.commands import Cli

README = Path(__file__).parents[3] / "README.md"


def test_the_task_of_the_readme_is_valid_and_runs(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    section = README.read_text(encoding="utf-8").partition("## Your tasks")[2].partition("\n## ")[0]
    task, commands = re.findall(r"```(?:json|sh)\n(.*?)```", section, re.DOTALL)
    (tmp_path / "my_tasks.json").write_text(task, encoding="utf-8")
    for line in commands.splitlines():
        ran = cli(*shlex.split(line)[1:])
        assert ran.code == 0, ran.err
