"""The default hospitals of tasks and examples, built once for each user."""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

from wardround.core.folders import build_once, cache_folder

# Increment when code changes the rows; changes of data files are detected.
CODE_VERSION = 2
SCHEMA = "mimic_iv_star"
ON_SERVER = "ehrsql_mimic_iv"
COHORTS = "mimic_iv"
EICU = "eicu_star"


def default_hospital(folder: Path | None = None) -> Path:
    """The default hospital: 100 people, seed 0, MIMIC-IV*; built on first use.

    Other processes wait meanwhile. Hospitals of other versions are then removed.

    Args:
        folder: The cache folder; by default `wardround` in the user's cache folder
            ($XDG_CACHE_HOME or ~/.cache).

    Returns:
        Path of the SQLite file.
    """
    return _built(SCHEMA, "sqlite", 100, folder)


def default_cohort_hospital(folder: Path | None = None) -> Path:
    """The default hospital of questions about cohorts: 1,000 people, seed 0, MIMIC-IV's layout.

    It is built on first use like the default hospital.

    Args:
        folder: The cache folder.

    Returns:
        Path of the DuckDB file.
    """
    return _built(COHORTS, "duckdb", 1000, folder)


def default_eicu_hospital(folder: Path | None = None) -> Path:
    """The default hospital in eICU*: the stays of 150 people, seed 0.

    It is built on first use like the default hospital.

    Args:
        folder: The cache folder.

    Returns:
        Path of the SQLite file.
    """
    return _built(EICU, "sqlite", 150, folder)


def _built(schema: str, ending: str, patients: int, folder: Path | None) -> Path:
    target = folder or cache_folder()

    def build(path: Path) -> None:
        from wardround.ehr.hospital.build import build_hospital
        from wardround.ehr.hospital.prepared import PREPARED, build_prepared_hospital

        build = build_prepared_hospital if schema in PREPARED else build_hospital
        build(path, patients=patients, schema=schema)
        for old in target.glob(f"hospital-*-{schema}.{ending}"):
            old.unlink(missing_ok=True)

    return build_once(target / f"hospital-{content_version(schema)}-{schema}.{ending}", build)


@contextmanager
def default_hospital_on_server() -> Iterator[str]:
    """The default hospital as `ehrsql_mimic_iv` on wardround's own PostgreSQL server.

    Built on first use, in one transaction. The server runs at least until the end of the block, so
    that code that opens the hospital in it does not start the server again.

    Returns:
        Its location.

    Raises:
        UserError: If the server does not start, or the extra `postgres` is not installed.
    """
    from wardround.ehr.database.engine import write_database
    from wardround.ehr.database.postgres.connection import find_address

    location = f"postgresql:hospital_{content_version(ON_SERVER)}"
    address = find_address(location)  # the server runs until it is left
    try:
        with closing(write_database(location)) as database:
            is_there = bool(database.tables())
        if not is_there:
            from wardround.ehr.hospital.build import build_hospital

            build_hospital(location, schema=ON_SERVER)
        yield location
    finally:
        address.leave()


@cache
def content_version(schema: str) -> str:
    """A digest of the generator's data files and dictionaries, the schema and the code version."""
    digest = hashlib.sha256(str(CODE_VERSION).encode())
    schemas = files("wardround.ehr.schema")
    data = files("wardround.ehr.hospital") / "data"
    facts = files("wardround.ehr.terms") / "dictionaries"
    entries = [schemas / "ehrsql_mimic_iv.toml", schemas / f"{schema}.toml"]
    entries += [*data.iterdir(), *facts.iterdir()]
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.name.endswith((".toml", ".tsv")):
            digest.update(entry.name.encode() + entry.read_bytes())
    return digest.hexdigest()[:12]
