"""A hospital with notes."""

from pathlib import Path

import pytest

from tests.hospitals import built
from wardround.ehr.hospital.build import build_hospital

PATIENTS, SEED = 40, 3


@pytest.fixture(scope="session")
def noted_hospital() -> Path:
    """A hospital in MIMIC-IV's layout with discharge summaries."""
    return built(
        f"noted-{PATIENTS}-{SEED}.duckdb",
        lambda path: build_hospital(
            path, patients=PATIENTS, seed=SEED, schema="mimic_iv", notes=True
        ),
    )
