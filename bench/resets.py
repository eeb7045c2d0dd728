"""Measures resets of PostgreSQL, compared with dropping and copying the database."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import TYPE_CHECKING, TypeAlias

from bench.figures import Figure, figure

if TYPE_CHECKING:
    from wardround.ehr.database import Workspace
    from wardround.ehr.database.postgres.connection import Address

Reset: TypeAlias = Callable[[], float]

PATIENTS = 40  # a database of about 21 MB
ROUNDS = 7
# Real trials between two resets take longer, since agents wait for models.
TRIAL_SECONDS = 2.0

_UPDATE = "UPDATE prescriptions SET dose_val_rx = 'changed'"
_MAKE = "CREATE TABLE notes AS SELECT * FROM admissions"


def measure() -> list[Figure]:
    """Measures seconds from the end of a trial to the first result of the next, by method."""
    from wardround.ehr.database import open_database

    with _server() as address:
        database = open_database("postgresql:hospital")
        undone, copied = database.writable(), database.writable()
        ways = {
            "a rollback": lambda: _reset(undone, _UPDATE, _MAKE),
            "a copy made ahead": lambda: _reset(copied, _UPDATE, _MAKE, "COMMIT"),
            "bare": lambda: _drop_and_copy(address),
        }
        paced = _medians(ways, 1, TRIAL_SECONDS)
        hurried = _medians(ways, ROUNDS, 0.0)
        start = database.fingerprint()
        assert undone.fingerprint() == copied.fingerprint() == start
        size = _size(address)
        database.close()
    return [
        _figure("a rollback", f", {TRIAL_SECONDS:g} s a trial", 50, paced, size),
        _figure("a rollback", ", one after the other", 50, hurried, size),
        _figure("a copy made ahead", f", {TRIAL_SECONDS:g} s a trial", 3, paced, size),
        _figure("a copy made ahead", ", one after the other until none is left", 3, hurried, size),
    ]


def _figure(way: str, pace: str, goal: int, seconds: dict[str, float], size: float) -> Figure:
    ratio = seconds["bare"] / seconds[way]
    return figure(
        f"PostgreSQL reset by {way}, hospital of {size:.0f} MB{pace}",
        1000 * seconds[way],
        "ms",
        f"goal: {goal} times faster than drop and create from a template; that took"
        f" {1000 * seconds['bare']:.0f} ms, {ratio:.1f} times as long",
    )


def _medians(ways: dict[str, Reset], at_once: int, pause: float) -> dict[str, float]:
    """Medians of each method, run alternately so that all meet the same machine load.

    Args:
        ways: the methods; each returns its seconds.
        at_once: the number of consecutive runs of a method.
        pause: seconds before each run.
    """
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(max(2, ROUNDS // at_once)):
        for way, reset in ways.items():
            for _ in range(at_once):
                sleep(pause)
                times[way].append(reset())
    return {way: median(seconds) for way, seconds in times.items()}


def _reset(workspace: "Workspace", *statements: str) -> float:
    for statement in statements:
        workspace.execute(statement)
    began = perf_counter()
    workspace.reset()
    workspace.execute("SELECT 1")
    return perf_counter() - began


def _drop_and_copy(address: "Address") -> float:
    """Drops the trial's database and copies it again, the baseline without wardround."""
    trial = address.of(dbname="trial")
    with address.maintenance.connect() as owner:
        with trial.connect() as session:
            session.execute(_UPDATE.encode())
            session.execute(_MAKE.encode())
        began = perf_counter()
        owner.execute("DROP DATABASE trial WITH (FORCE)")
        owner.execute("CREATE DATABASE trial TEMPLATE pristine")
        with trial.connect() as session:
            session.execute("SELECT 1")
        return perf_counter() - began


def _size(address: "Address") -> float:
    with address.maintenance.connect() as owner:
        ((size,),) = owner.execute("SELECT pg_database_size('pristine')").fetchall()
    return float(size) / 1e6


@contextmanager
def _server() -> "Iterator[Address]":
    """Yields a new server with a hospital and two copies of it."""
    from wardround.ehr.database.postgres.connection import find_address
    from wardround.ehr.hospital import build_hospital

    with tempfile.TemporaryDirectory(prefix="wardround-resets-") as folder:
        Path(folder).chmod(0o711)
        os.environ["XDG_DATA_HOME"] = folder
        build_hospital("postgresql:hospital", patients=PATIENTS, seed=0, schema="ehrsql_mimic_iv")
        address = find_address("postgresql:hospital")
        with address.maintenance.connect() as owner:
            for name in ("pristine", "trial"):
                owner.execute(f"CREATE DATABASE {name} TEMPLATE hospital".encode())
        yield address
        address.leave()
        while any(Path(folder).rglob("postmaster.pid")):
            sleep(0.05)
