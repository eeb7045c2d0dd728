"""Copies of databases for trials: those of a killed process are removed, others are left alone."""

import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from wardround.ehr.database import open_database, workspace_folder

_HOLD = """
import sys, time
from wardround.ehr.database import open_database
workspace = open_database(sys.argv[1]).writable()
workspace.execute("CREATE TABLE mine (a int)")
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that no other test uses."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return temporary


def test_copies_of_a_killed_process_are_removed_at_the_next_start(
    folder: Path, tmp_path: Path
) -> None:
    database = tmp_path / "ward.sqlite"
    with closing(sqlite3.connect(database)) as made:
        made.execute("CREATE TABLE wards (ward TEXT)")
    holders = [
        subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(database)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for holder in holders:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
    held = set(folder.iterdir())
    assert len(held) == 2
    dead, alive = holders
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    workspace_folder.remove_left_behind.cache_clear()
    with closing(open_database(database)) as opened, closing(opened.writable()):
        now = set(folder.iterdir())
        assert len(now & held) == 1
        assert len(now) == 2
    assert len(set(folder.iterdir())) == 1
    alive.kill()
    alive.communicate()
