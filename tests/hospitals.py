"""Synthetic hospitals that tests read, each built once by all workers together."""

import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from wardround.ehr.hospital.build import build_hospital

# Names the folder of what is built once; `tests/conftest.py` makes and removes it.
FOLDER = "WARDROUND_TESTS"
# Databases that tests keep open until the last one has run.
KEPT_OPEN = ExitStack()


def built(name: str, make: Callable[[Path], object]) -> Path:
    """A file or folder that no test changes, made by the first worker that needs it.

    Args:
        name: Its name, which has to tell all that it depends on.
        make: Makes it at a path.
    """
    folder = Path(os.environ[FOLDER])
    path, unfinished = folder / name, folder / "unfinished" / name
    with (folder / f"{name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished.parent.mkdir(exist_ok=True)
            make(unfinished)
            unfinished.rename(path)
    return path


def hospital_file(layout: str, patients: int, seed: int = 0, ending: str = "duckdb") -> Path:
    """A hospital that no test changes."""
    return built(
        f"{layout}-{patients}-{seed}.{ending}",
        lambda path: build_hospital(path, patients=patients, seed=seed, schema=layout),
    )


def small_hospital(folders: pytest.TempPathFactory) -> Path:
    """A copy of its own of thirty patients in MIMIC-IV's layout."""
    path = hospital_file("mimic_iv", 30)
    return Path(shutil.copy(path, folders.mktemp("hospital") / "hospital.duckdb"))
