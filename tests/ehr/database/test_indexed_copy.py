"""Copies with indexes: the same rows, and an unchanged original."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.ehr.database import Limits, open_database
from wardround.ehr.database.indexed_copy import indexed

OWN = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
OF_ONE_STAY = "SELECT * FROM labevents WHERE hadm_id IN (SELECT MIN(hadm_id) FROM admissions)"


@pytest.fixture(scope="module")
def built() -> Path:
    """A hospital with its schema's indexes."""
    return hospital_file("ehrsql_mimic_iv", 8, seed=3, ending="sqlite")


@pytest.fixture
def bare(built: Path, tmp_path: Path) -> Path:
    """The hospital without indexes, as databases are published."""
    path = tmp_path / "bare.sqlite"
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute(OWN).fetchall():
            connection.execute(f'DROP INDEX "{name}"')
        connection.commit()
    return path


def test_a_database_without_indexes_is_copied_and_the_copy_has_them(bare: Path) -> None:
    before = bare.read_bytes()
    with closing(open_database(bare)) as database, indexed(database, Limits()) as copy:
        names = {str(row[0]) for row in copy.execute(OWN, rows=None).rows}
        assert {"labevents_hadm_id", "prescriptions_drug"} <= names
        assert not any("charttime" in name for name in names)
        assert copy.name == database.name
        assert copy.execute(OF_ONE_STAY, rows=None) == database.execute(OF_ONE_STAY, rows=None)
        plan = copy.execute(f"EXPLAIN QUERY PLAN {OF_ONE_STAY}").rows
        assert "labevents_hadm_id" in str(plan)
        where = Path(copy.url)
    assert not where.exists()
    assert bare.read_bytes() == before


def test_a_database_with_indexes_is_used_as_it_is(built: Path) -> None:
    with closing(open_database(built)) as database, indexed(database, Limits()) as same:
        assert same is database


def test_a_database_of_no_known_schema_is_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE sales (id INTEGER)")
    with closing(open_database(path)) as database, indexed(database, Limits()) as same:
        assert same is database
