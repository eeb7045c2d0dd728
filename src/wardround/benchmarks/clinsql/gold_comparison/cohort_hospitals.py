"""Synthetic hospitals on which queries are compared besides, built once for each user.

In a generated hospital nearly every stay has its patient's chronic diagnoses, its measurements lie
within it, and its year is the anchor year, so that many wrong queries give the gold's result. The
hospitals here are copies with irregular records.
"""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from wardround.core.folders import cache_folder
from wardround.core.private_files import make_folder, put_in_place
from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.hospital.default import COHORTS, content_version, default_cohort_hospital

_SEED, _PATIENTS = 101, 200
_CHANGES = "irregular_records.sql"


def cohort_hospitals(folder: Path | None = None, patients: int | None = None) -> tuple[Path, ...]:
    """Two irregular hospitals in MIMIC-IV's layout, the large one first; built on first use.

    The large one is the default hospital of questions about cohorts, changed; the small one has
    other people. Concurrent builds move into place, and hospitals of other versions are removed.

    Args:
        folder: The cache folder; by default `wardround` in the user's.
        patients: People in each, instead of 1,000 and 200.
    """
    place = folder or cache_folder()
    make_folder(place)
    changes = (files(__package__) / _CHANGES).read_text()
    version = hashlib.sha256(f"{content_version(COHORTS)} {changes}".encode()).hexdigest()[:12]
    size = "" if patients is None else f"-{patients}"
    paths = tuple(place / f"cohorts-{version}{size}-{name}.duckdb" for name in ("large", "small"))
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        _build(path, changes, patients, is_large=path == paths[0])
    if missing:
        for old in place.glob("cohorts-*.duckdb"):
            if not old.name.startswith(f"cohorts-{version}-"):
                old.unlink(missing_ok=True)
    return paths


def _build(path: Path, changes: str, patients: int | None, *, is_large: bool) -> None:
    from wardround.ehr.hospital.build import build_hospital

    with ScratchFolder(path.parent) as scratch:
        unfinished = scratch.path / path.name
        if is_large and patients is None:
            shutil.copyfile(default_cohort_hospital(path.parent), unfinished)
        else:
            seed = 0 if is_large else _SEED
            build_hospital(unfinished, schema=COHORTS, patients=patients or _PATIENTS, seed=seed)
        make_irregular(unfinished, changes)
        put_in_place(unfinished, path)


def make_irregular(hospital: Path, changes: str) -> None:
    """Changes the records of a hospital in place."""
    import duckdb

    with closing(duckdb.connect(str(hospital))) as database:
        names = database.execute("SELECT index_name FROM duckdb_indexes()").fetchall()
        for (name,) in names:  # the changes are slow with them, and the queries read whole tables
            database.execute(f'DROP INDEX "{name}"')
        for statement in _statements(changes):
            database.execute(statement)


def _statements(changes: str) -> Iterator[str]:
    yield from (text for text in changes.split(";\n") if text.strip())
