"""Synthetic hospitals that tests read, each built once for all workers and later runs."""

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import pytest

from wardround.ehr.hospital.build import build_hospital

# Names the folder of what is built once; `tests/conftest.py` makes and removes it.
FOLDER = "WARDROUND_TESTS"
# Names the folder of hospitals that earlier runs built of the same sources.
EARLIER = "WARDROUND_TESTS_EARLIER"
SOURCES = Path(__file__).parents[1] / "src" / "wardround"
# What the bytes of a hospital depend on; `tests/test_house.py` checks what they import of `ehr`.
PACKAGES_OF_EHR = ("database", "fhir", "hospital", "ingest", "schema", "terms")
READ = ("core", *(f"ehr/{name}" for name in PACKAGES_OF_EHR))
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


def hospital_file(
    layout: str,
    patients: int,
    seed: int = 0,
    ending: str = "duckdb",
    *,
    notes: bool = False,
    tables: Sequence[str] = (),
) -> Path:
    """A hospital that no test changes: a copy of an earlier run's, or a new one."""
    name = "-".join([layout, str(patients), str(seed), *tables, *["notes"] * notes])
    name += f".{ending}"
    earlier = Path(os.environ[EARLIER]) / name

    def make(path: Path) -> None:
        if earlier.exists():
            shutil.copyfile(earlier, path)
            return
        build_hospital(
            path, patients=patients, seed=seed, schema=layout, notes=notes, tables=tables
        )
        unfinished = earlier.with_suffix(f".{os.getpid()}")
        unfinished.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, unfinished)
        unfinished.rename(earlier)

    return built(name, make)


def sources_digest() -> str:
    """A digest of all that the bytes of a hospital depend on."""
    digest = hashlib.sha256(f"{sys.version} {version('duckdb')} {version('numpy')}".encode())
    paths = (path for folder in READ for path in SOURCES.glob(f"{folder}/**/*"))
    for path in sorted((*paths, *SOURCES.glob("ehr/*.py"))):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(str(path.relative_to(SOURCES)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def small_hospital(folders: pytest.TempPathFactory) -> Path:
    """A copy of its own of forty patients in MIMIC-IV's layout."""
    path = hospital_file("mimic_iv", 40, seed=7)
    return Path(shutil.copy(path, folders.mktemp("hospital") / "hospital.duckdb"))
