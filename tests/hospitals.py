"""A synthetic hospital that tests of several folders read, built once by all workers together."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest

from wardround.ehr.hospital.build import build_hospital


def small_hospital(folders: pytest.TempPathFactory) -> Path:
    """A copy of its own of thirty patients in MIMIC-IV's layout."""
    base = folders.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    built = shared / "small_hospital.duckdb"
    with (shared / "small_hospital.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            build_hospital(built, schema="mimic_iv", patients=30, workers=1)
    return Path(shutil.copy(built, folders.mktemp("hospital") / "hospital.duckdb"))
