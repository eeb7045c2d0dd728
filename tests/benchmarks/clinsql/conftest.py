"""Small hospitals in MIMIC-IV's layout: one with regular records and two without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hospitals import built, small_hospital
from wardround.benchmarks.clinsql.gold.hospitals import cohort_hospitals
from wardround.ehr.database import Database, open_database

# People of each hospital with irregular records.
COHORT = 12


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_hospital(tmp_path_factory)


@pytest.fixture(scope="session")
def records(hospital: Path) -> Iterator[Database]:
    database = open_database(f"googlesql:{hospital}")
    yield database
    database.close()


@pytest.fixture(scope="session")
def irregular_hospitals() -> tuple[Path, ...]:
    """The hospitals on which queries are compared besides, of few people each."""
    return _irregular_hospitals()


@pytest.fixture(autouse=True)
def _small_cohorts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares queries on these, instead of on hospitals of 1,000 and 200 people."""
    place = "wardround.benchmarks.clinsql.gold.sql_grader.cohort_hospitals"
    monkeypatch.setattr(place, _irregular_hospitals)


@pytest.fixture
def default_cohorts(_small_cohorts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares queries on the hospitals of 1,000 and 200 people, as a run does."""
    monkeypatch.undo()


def _irregular_hospitals() -> tuple[Path, ...]:
    folder = built("cohorts", lambda path: cohort_hospitals(path, patients=COHORT))
    return cohort_hospitals(folder, patients=COHORT)
