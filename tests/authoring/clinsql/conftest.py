"""A small hospital in MIMIC-IV's layout, and a suite made about it."""

import pickle
from pathlib import Path

import pytest

from tests.hospitals import built, hospital_file
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
    read_tables,
)
from wardround.authoring.clinsql.suite import MadeSuite, make_suite
from wardround.ehr.database import Database

# Items of three scenarios; few drafts of this seed are dropped.
SEED, COUNT, LEAST = 5, 3, 2


@pytest.fixture(scope="session")
def hospital() -> Path:
    return hospital_file("mimic_iv", 40, seed=7)


@pytest.fixture(scope="session")
def made(hospital: Path) -> tuple[Path, MadeSuite]:
    return made_once(hospital, COUNT, SEED, LEAST)


def made_once(hospital: Path, count: int, seed: int, least: int) -> tuple[Path, MadeSuite]:
    """A suite that no test changes, made by the first worker that needs it."""

    def make(folder: Path) -> None:
        folder.mkdir()
        suite = make_suite(str(hospital), folder / "suite", count, seed, least)
        (folder / "made").write_bytes(pickle.dumps(suite))

    folder = built(f"clinsql-{hospital.stem}-{count}-{seed}-{least}", make)
    return folder / "suite", pickle.loads((folder / "made").read_bytes())  # noqa: S301 - its own


def opened_tables(database: Database) -> RecordTables:
    tables = read_tables(database)
    assert tables is not None
    return tables
