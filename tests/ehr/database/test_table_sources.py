"""Databases whose tables are read whole, beside other readers and without a right to write."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import duckdb
import pytest

from tests.apps.commands import Cli
from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.ehr.making import Rows, make_database
from wardround.core.errors import UserError
from wardround.ehr.database import open_database, open_source
from wardround.ehr.hospital import content_digest

FILES = ("sqlite", "duckdb")
STAY: dict[str, Rows] = {
    "patients": [{"subject_id": 1, "gender": "F", "anchor_age": 60, "anchor_year": 2150}],
    "admissions": [
        {"subject_id": 1, "hadm_id": 2}
        | {"admittime": "2150-03-01 08:00:00", "dischtime": "2150-03-09 12:00:00"}
    ],
}


@pytest.fixture(params=[pytest.param(name, marks=needs(name)) for name in ENGINES])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    statements = ["CREATE TABLE stays (id INTEGER)", "INSERT INTO stays VALUES (1), (2)"]
    with made_database(request.param, tmp_path, statements) as made:
        yield made


def access_modes(path: Path) -> set[int]:
    """The access modes with which this process has a file open: to read it, write it, or both."""
    modes = set()
    for descriptor in map(int, os.listdir("/dev/fd")):  # noqa: PTH208
        # That of the folder itself is closed by now.
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                modes.add(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE)
    return modes


def test_a_source_is_read_and_refuses_every_write(location: str) -> None:
    with closing(open_source(location)) as source, duckdb.connect() as lake:
        assert source.tables() == ["stays"]
        with source.read("SELECT id FROM stays ORDER BY id") as rows:
            assert lake.execute("FROM rows").fetchall() == [(1,), (2,)]
        with pytest.raises(Exception, match=r"(?i)read-?\s?only"):
            source.query("DELETE FROM stays")
        deletion = source.read("DELETE FROM stays RETURNING id")
        with pytest.raises(Exception, match=r"(?i)read-?\s?only"), deletion as rows:  # noqa: F841
            lake.execute("FROM rows")
        assert source.query("SELECT count(*) FROM stays") == [(2,)]


@pytest.mark.parametrize("location", FILES, indirect=True)
def test_a_file_is_opened_for_reading_alone(location: str) -> None:
    with closing(open_source(location)) as source, source.read("SELECT id FROM stays"):
        assert access_modes(Path(location)) == {os.O_RDONLY}


def test_a_missing_source_is_not_made(location: str) -> None:
    missing = location.replace("small.", "other.").replace("postgresql:", "postgresql:no_")
    for _ in range(2):
        with pytest.raises(UserError, match="does not exist"):
            open_source(missing)


def test_what_cannot_be_read_whole_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be read whole; give a SQLite or DuckDB file"):
        open_source("spark:ward")


@pytest.mark.parametrize("engine", FILES)
def test_sources_are_read_while_another_process_reads_them(
    engine: str, tmp_path: Path, cli: Cli
) -> None:
    release, plain = (tmp_path / f"{name}.{engine}" for name in ("release", "plain"))
    prepared, renamed = (tmp_path / f"{name}.sqlite" for name in ("prepared", "renamed"))
    make_database(str(release), "mimic_iv", STAY)
    make_database(str(plain), "ehrsql_mimic_iv", {})
    with closing(open_database(release)) as one, closing(open_database(plain)) as other:
        # Each answers in a process that keeps the file open.
        assert one.execute("SELECT count(*) FROM patients").rows == [(1,)]
        assert other.execute("SELECT count(*) FROM patients").rows == [(0,)]
        assert len(content_digest(release)) == 64
        options = ("--layout", "ehrsql-mimic-iv", "--skip", "sample", "--skip", "now")
        assert cli("data", "prepare", release, "--to", prepared, *options).code == 0
        assert cli("data", "rename", "mimic_iv_star", plain, "--to", renamed).code == 0
