"""Resuming a killed or interrupted build."""

import signal
import subprocess
import sys
from contextlib import closing

import pytest

from tests.ehr.ingest.release.conftest import HEADER, Builder
from wardround.core.errors import UserError
from wardround.ehr.database import write_database
from wardround.ehr.ingest.release import Progress, build

ROWS = 60_000

# Kills itself while loading the second table.
KILLED = """
import os, signal, sys
from pathlib import Path
from tests.ehr.ingest.release.conftest import SCHEMA
from wardround.ehr.database import write_database
from wardround.ehr.ingest.release import build, find_sources

folder, location, faults = sys.argv[1:]
sys.modules["wardround.ehr.ingest.release.build"]._TICK = 0.001

def listen(at):
    if at.table == "visits" and at.rows > 10:
        os.kill(os.getpid(), signal.SIGKILL)

build(SCHEMA, find_sources(SCHEMA, Path(folder)), write_database(location), Path(faults), listen)
"""


def visits(count: int) -> bytes:
    return b"".join(
        b"%d,east,2100-01-02,2100-01-02 03:04:05,%d.5\n" % (number, number % 90)
        for number in range(count)
    )


@pytest.fixture
def large(builder: Builder) -> Builder:
    builder.write("visits.csv", HEADER + visits(ROWS) + b"x,,,,\n")
    builder.write("wards.csv", b"ward\neast\nwest\n")
    return builder


def test_killed_build_resumes(large: Builder) -> None:
    arguments = [str(large.folder), large.location, str(large.faults)]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert killed.returncode == -signal.SIGKILL
    with closing(write_database(large.location)) as target:
        assert target.tables() == ["wardround_building_small", "wards"]
    report = large.build()
    assert [(o.table, o.rows, o.faults) for o in report.outcomes] == [
        ("wards", 2, 0),
        ("visits", ROWS, 1),
    ]
    assert large.rows("SELECT count(*), count(DISTINCT visit_id), max(visit_id) FROM visits") == [
        (ROWS, ROWS, ROWS - 1)
    ]
    assert large.rows("SELECT count(*) FROM wards") == [(2,)]
    with closing(write_database(large.location)) as target:
        assert target.tables() == ["visits", "wards"]


def test_interrupted_build_leaves_complete_tables_only(
    large: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[build.__module__], "_TICK", 0.001)

    def interrupt(at: Progress) -> None:
        if at.table == "visits":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        large.build(on_progress=interrupt)
    with closing(write_database(large.location)) as target:
        assert target.tables() == ["wardround_building_small", "wards"]
    tables: list[str] = []
    report = large.build(on_table=lambda table: tables.append(table.table))
    assert report.outcomes[1].rows == ROWS
    assert tables == ["wards", "visits"]


def test_progress_is_reported_while_reading(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 800_000  # enough that reading takes longer than a tick
    builder.write("visits.csv", HEADER + visits(rows))
    monkeypatch.setattr(sys.modules[build.__module__], "_TICK", 0.001)
    reports: list[Progress] = []
    builder.build(on_progress=reports.append)
    assert any(0 < report.rows < rows for report in reports)
    assert max(report.done for report in reports) <= reports[0].total


def test_build_resumes_with_the_same_files_only(
    large: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [str(large.folder), large.location, str(large.faults)]
    subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    large.write("wards.csv", b"ward\nsouth\n")
    with pytest.raises(UserError, match="begun from other files: table wards"):
        large.build()
