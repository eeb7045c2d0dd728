"""Killed processes: their copies are removed at the next start, and queries go on."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

from tests.ehr.database.engines import made_database
from wardround.core.scratch_folder import PREFIX
from wardround.ehr.database import open_database
from wardround.ehr.database.file_driver import FileDriver

WRITE = """
import sys
from wardround.ehr.database import open_database
from wardround.ehr.database.file_driver import FileDriver
workspace = open_database(sys.argv[1]).writable()
workspace.execute("insert into patients values (2)")
print("written", flush=True)
sys.stdin.read()
"""
READ = """
import sys
from wardround.ehr.database import open_database
from wardround.ehr.database.file_driver import FileDriver
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
    with (
        made_database(engine, tmp_path, ["create table patients (id int)"]) as location,
        closing(open_database(location)) as opened,
    ):
        assert opened.execute("select count(*) from patients").rows == [(0,)]
        assert isinstance(opened.driver, FileDriver)
        (idle,) = opened.driver._idle
        idle.kill()
        while idle.alive:
            sleep(0.01)
        assert opened.execute("select count(*) + 1 from patients").rows == [(1,)]
