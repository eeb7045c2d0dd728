"""Killed processes: their copies are removed at the next start, and queries go on."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest
from psutil import STATUS_ZOMBIE, Process

from tests.ehr.database.engines import made_database
from wardround.core.scratch_folder import PREFIX
from wardround.ehr.database import open_database

WRITE = """
import sys
from wardround.ehr.database import open_database
workspace = open_database(sys.argv[1]).writable()
workspace.execute("insert into patients values (2)")
print("written", flush=True)
sys.stdin.read()
"""
READ = """
import sys
from wardround.ehr.database import open_database
print(open_database(sys.argv[1]).execute("select count(*) from patients").rows)
"""


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_copy_of_a_killed_process_is_removed_at_the_next_start(tmp_path: Path, engine: str) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with made_database(engine, tmp_path, ["create table patients (id int)"]) as location:
        process = subprocess.Popen(
            [sys.executable, "-c", WRITE, location],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert process.stdout
        assert process.stdout.readline() == b"written\n"
        process.kill()
        process.communicate()
        (copied,) = temporary.glob(f"{PREFIX}*/small.{engine}")
        assert copied.stat().st_size

        reader = [sys.executable, "-c", READ, location]
        assert subprocess.check_output(reader, env=environment) == b"[(0,)]\n"
        assert not list(temporary.iterdir())


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_process_that_ended_while_idle_fails_no_query(tmp_path: Path, engine: str) -> None:
    before = _grandchildren()
    with (
        made_database(engine, tmp_path, ["create table patients (id int)"]) as location,
        closing(open_database(location)) as opened,
    ):
        assert opened.execute("select count(*) from patients").rows == [(0,)]
        (idle,) = _grandchildren() - before
        os.kill(idle, signal.SIGKILL)
        _wait_until_closed(idle)
        assert opened.execute("select count(*) + 1 from patients").rows == [(1,)]


def _grandchildren() -> set[int]:
    """The processes that were started by those that this one started."""
    return {each.pid for child in Process().children() for each in child.children()}


def _wait_until_closed(process: int) -> None:
    """Waits until a killed process has closed its sockets."""
    while Process(process).status() != STATUS_ZOMBIE:
        sleep(0.01)
