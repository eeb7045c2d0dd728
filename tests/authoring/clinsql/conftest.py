"""A small hospital in MIMIC-IV's layout, and a suite made about it."""

from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.authoring.clinsql.suite import MadeSuite, make_suite
from wardround.authoring.clinsql.tables import (
    RecordTables,
    read_tables,
)
from wardround.ehr.database import Database

SEED, COUNT, LEAST = 8, 6, 2


@pytest.fixture(scope="session")
def hospital() -> Path:
    return hospital_file("mimic_iv", 60)


@pytest.fixture(scope="session")
def made(hospital: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MadeSuite]:
    folder = tmp_path_factory.mktemp("made") / "suite"
    return folder, make_suite(str(hospital), folder, COUNT, SEED, LEAST)


def opened_tables(database: Database) -> RecordTables:
    tables = read_tables(database)
    assert tables is not None
    return tables
