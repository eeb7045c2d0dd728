"""Synthetic hospitals for questions, which no test changes."""

from pathlib import Path

import pytest

from tests.hospitals import hospital_file


@pytest.fixture(scope="session")
def hospital() -> Path:
    """A hospital of forty patients in the form of EHR-ChatQA."""
    return hospital_file("mimic_iv_star", 40, seed=5, ending="sqlite")
