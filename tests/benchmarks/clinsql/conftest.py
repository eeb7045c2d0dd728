"""A small hospital in MIMIC-IV's layout, built once a session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hospitals import small_hospital
from wardround.ehr.database import Database, open_database


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_hospital(tmp_path_factory)


@pytest.fixture(scope="session")
def records(hospital: Path) -> Iterator[Database]:
    database = open_database(f"googlesql:{hospital}")
    yield database
    database.close()
