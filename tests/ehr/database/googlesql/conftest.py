"""A small hospital in MIMIC-IV's layout, built once a session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital.build import build_hospital


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("googlesql") / "hospital.duckdb"
    build_hospital(path, schema="mimic_iv", patients=40, seed=7, workers=1)
    return path


@pytest.fixture(scope="session")
def records(hospital: Path) -> Iterator[Database]:
    database = open_database(f"googlesql:{hospital}")
    yield database
    database.close()
