"""Runs commands of `wardround` in this process."""

import sys

import pytest

from tests.apps.commands import Cli, Ran
from wardround.apps.command_line import main


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs `wardround` with arguments."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["wardround", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capfd.readouterr())

    return run
