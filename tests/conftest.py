"""Tests have a folder of their own for what a user would store, wardround's own server too.

The folders in `UNIT` have the tests of the mark `unit`, which start no process and open no
connection; `pytest -m unit` reads no others.
"""

import atexit
import gc
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from tests.apps.commands import Cli, Ran
from tests.ehr.database.postgres.own_server import files_in_memory, shared_servers
from tests.hospitals import EARLIER, FOLDER, KEPT_OPEN, sources_digest

# Each process has a core, as it does in a run: threads of a BLAS library would wait for one.
for library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# A busy machine fails no test.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Nothing is drawn from the numbers and words of the code: each process reads all of it for them.
vars(providers)["_get_local_constants"] = Constants
settings.register_profile("short", settings.get_profile("patient"), max_examples=10)


UNIT = (
    "core",
    "scoring",
    "report",
    "ehr/terms",
    "ehr/text",
    "ehr/schema",
    "ehr/knowledge",
    "ehr/scores",
    "ehr/times",
    "ehr/values",
    "models",
    "agents/sql_writer",
    "benchmarks/kit",
)
TESTS = Path(__file__).parent
EXAMPLE = b">>> "
# Tests that `make test` leaves out, or cases of them, beneath what stays of their specification.
SLOW = {
    line
    for line in (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
}
# Python calls an audit hook for every `id()` and frame; these are called seldom.
PROCESSES = (
    (subprocess.Popen, "__init__"),
    (BaseProcess, "start"),
    # Others of `os` call one of these by its name in the module.
    *((os, name) for name in ("fork", "forkpty", "system", "posix_spawn", "posix_spawnp")),
    *((os, name) for name in ("execv", "execve")),
)
CONNECTIONS = ((socket.socket, "connect"), (socket.socket, "bind"), (socket, "getaddrinfo"))


@cache
def is_unit_folder(folder: Path) -> bool:
    """True for a folder of unit tests, and for what is in it."""
    return any(folder.is_relative_to(TESTS / name) for name in UNIT)


def pytest_configure(config: pytest.Config) -> None:
    """Make the folders of what workers and runs share; the first process does, and names them."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="wardround-tests-")
        earlier = TESTS.parent / ".pytest_cache" / "hospitals" / sources_digest()
        for outdated in set(earlier.parent.glob("*")) - {earlier}:
            shutil.rmtree(outdated)
        earlier.mkdir(parents=True, exist_ok=True)
        os.environ[EARLIER] = str(earlier)
    # Without slow tests, properties draw fewer examples, and long lists give one case in several.
    has_slow = config.getoption("markexpr") in ("", "slow")
    settings.load_profile("patient" if has_slow else "short")
    gc.disable()  # Nothing that is collected is garbage.


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder of what all workers share."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER))


def pytest_collection_finish() -> None:
    """Leave the tests and modules out of garbage collection, and collect more seldom."""
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Close what was kept open, and let the end of the process find everything.

    Not before: pytest itself looks at all that is not frozen, several times.
    """
    KEPT_OPEN.close()
    atexit.register(gc.unfreeze)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread what holds no unit test if nothing else is wanted."""
    if config.getoption("markexpr") != "unit" or is_unit_folder(collection_path):
        return None
    holds_some = any((TESTS / name).is_relative_to(collection_path) for name in UNIT)
    return None if holds_some else True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Import a module of the package only for the examples in it, and look for none in tests."""
    collectors = yield
    if collectors and not file_path.is_relative_to(TESTS) and EXAMPLE in file_path.read_bytes():
        return collectors
    return [each for each in collectors if type(each) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests, and the tests of the folders of unit tests but for larger ones."""
    for item in items:
        if SLOW & {item.nodeid, item.nodeid.partition("[")[0]}:
            item.add_marker("slow")
        elif is_unit_folder(item.path) and not item.get_closest_marker("integration"):
            item.add_marker("unit")


@pytest.fixture(autouse=True)
def _without_processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a unit test that starts a process or opens a connection."""
    if not request.node.get_closest_marker("unit"):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in PROCESSES + CONNECTIONS:
            patch.setattr(owner, name, refusal(name))
        yield


def refusal(name: str) -> Callable[..., Any]:
    """A function that fails in place of the named one."""

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise AssertionError(f"a unit test called {name}; mark it integration")

    return refuse


@pytest.fixture(scope="session", autouse=True)
def _own_folders() -> Iterator[None]:
    data = Path(tempfile.mkdtemp(prefix="wardround-tests-", dir=files_in_memory()))
    state = Path(tempfile.mkdtemp(prefix="wardround-tests-"))
    # A server that root starts runs as a lesser user.
    data.chmod(0o711)
    with pytest.MonkeyPatch.context() as patch, shared_servers(data):
        patch.setenv("XDG_DATA_HOME", str(data))
        patch.setenv("XDG_STATE_HOME", str(state))
        yield
    _remove(data)
    shutil.rmtree(state)


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
