"""A small hospital in MIMIC-IV's layout, built once a session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.ehr.database import Database, open_database


@pytest.fixture(scope="session")
def hospital() -> Path:
    return hospital_file("mimic_iv", 40, seed=7)


@pytest.fixture(scope="session")
def records(hospital: Path) -> Iterator[Database]:
    database = open_database(f"googlesql:{hospital}")
    yield database
    database.close()
