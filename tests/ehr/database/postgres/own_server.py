"""wardround's own PostgreSQL server: one for each worker, and some that a test may kill."""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import pytest

from tests.hospitals import built
from wardround.ehr.database import write_database
from wardround.ehr.database.postgres import server

PATIENCE = 30
_MEMORY, _ROOM = Path("/dev/shm"), 4 << 30  # noqa: S108
_INITDB = (*server._INITDB, "--no-sync", "--set=fsync=off", "--wal-segsize=1")
_INITIALISE, _START = server._initialise, server._start


def files_in_memory() -> Path | None:
    """The folder of files in memory if it has room, where data are copied and dropped faster."""
    has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM
    return _MEMORY if has_room else None


@contextmanager
def shared_servers(folder: Path) -> Iterator[None]:
    """Servers begin with data that is made once, and one of the folder runs to the end.

    Without a user in between it would stop after each test.
    """
    with pytest.MonkeyPatch.context() as patch, ExitStack() as uses:

        def start(at: Path, sockets: Path, owner: pwd.struct_passwd | None) -> None:
            _START(at, sockets, owner)
            if at.is_relative_to(folder):
                use = uses.enter_context((at / "users.lock").open("a"))
                fcntl.flock(use, fcntl.LOCK_SH)

        patch.setattr(server, "_start", start)
        patch.setattr(server, "_initialise", _copy_data)
        yield


def _copy_data(folder: Path, owner: pwd.struct_passwd | None) -> None:
    """Copy the data of a stopped server."""
    (stopped,) = (built("postgresql", _make_server) / "postgres").iterdir()
    for name in ("data", "password"):
        _copy(stopped / name, folder / name)


@pytest.fixture
def home() -> Iterator[Path]:
    """A data folder with a separate server that has a database `kept`, not started."""
    stopped = built("postgresql", _make_server)
    with _data_folder() as folder:
        _copy(stopped, folder / "wardround")
        yield folder


@contextmanager
def _data_folder() -> Iterator[Path]:
    with (
        TemporaryDirectory(prefix="ward", dir=files_in_memory()) as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        Path(name).chmod(0o711)
        patch.setenv("XDG_DATA_HOME", name)
        yield Path(name)
        # A server must have stopped before its folder is removed.
        until_stopped(Path(name))


def _make_server(path: Path) -> None:
    """Make the data of a server, which need not outlive the machine, by its first start."""
    with _data_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "_INITDB", _INITDB)
        patch.setattr(server, "_initialise", _INITIALISE)
        with closing(write_database("postgresql:kept")) as target:
            target.execute("create table t (a int)")
            target.execute("insert into t values (1)")
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
