"""Tests have a folder of their own for what a user would store, wardround's own server too."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.apps.commands import Cli, Ran

# A busy machine fails no test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _own_folders() -> Iterator[None]:
    folder = Path(tempfile.mkdtemp(prefix="wardround-tests-"))
    # A server that root starts runs as a lesser user.
    folder.chmod(0o711)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        yield
    _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the folder once the server in it, if any, has stopped."""
    for lock in folder.glob("wardround/postgres/*/server.lock"):
        import fcntl

        with lock.open("a") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
    shutil.rmtree(folder)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Runs `wardround` with arguments, in this process."""
    from wardround.apps.command_line import main

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["wardround", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Ran(code, *capfd.readouterr())

    return run
