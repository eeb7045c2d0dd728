"""wardround's own PostgreSQL server in a folder of its own, which a test may kill."""

import fcntl
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest

from tests.hospitals import built
from wardround.ehr.database.postgres.server import use_server

PATIENCE = 30


@pytest.fixture
def home() -> Iterator[Path]:
    """A temporary data folder with a separate server, which has not been started."""
    stopped = built("postgresql", _make_server)
    with _data_folder() as folder:
        _copy(stopped, folder / "wardround")
        yield folder


@contextmanager
def _data_folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="ward") as name, pytest.MonkeyPatch.context() as patch:
        Path(name).chmod(0o711)
        patch.setenv("XDG_DATA_HOME", name)
        yield Path(name)
        # A server must have stopped before its folder is removed.
        until_stopped(Path(name))


def _make_server(path: Path) -> None:
    """Make the data of a server by its first start."""
    with _data_folder() as folder:
        use_server().leave()
        until_stopped(folder)
        _copy(folder / "wardround", path)


def _copy(folder: Path, to: Path) -> None:
    """Copy a folder with its owners."""
    subprocess.run(["cp", "-a", folder, to], check=True)


def server_folder(home: Path) -> Path:
    (result,) = (home / "wardround" / "postgres").iterdir()
    return result


def postmaster(home: Path) -> int:
    return int((server_folder(home) / "data" / "postmaster.pid").read_text().split()[0])


def kill_server(home: Path) -> None:
    """Kill it, and wait for its sessions to notice."""
    os.kill(postmaster(home), signal.SIGKILL)
    with (server_folder(home) / "server.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def until_stopped(home: Path) -> None:
    ends = monotonic() + PATIENCE
    while (server_folder(home) / "data" / "postmaster.pid").exists():
        assert monotonic() < ends, "the server is left running"
        sleep(0.02)
