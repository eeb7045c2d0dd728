"""Synthetic hospitals for questions, made once per session."""

from pathlib import Path

import pytest

from wardround.ehr.hospital import build_hospital


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hospital of forty patients in the form of EHR-ChatQA."""
    path = tmp_path_factory.mktemp("hospital") / "hospital.sqlite"
    build_hospital(str(path), patients=40, seed=5, schema="mimic_iv_star")
    return path
