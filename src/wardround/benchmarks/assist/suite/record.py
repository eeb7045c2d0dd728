"""The record of the shipped sessions: patients of a synthetic hospital, with notes, as FHIR."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from wardround.core.folders import cache_folder
from wardround.core.packaged_data import read_text
from wardround.core.private_files import make_folder
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.task import digest
from wardround.ehr.fhir.charts import built_chart
from wardround.ehr.fhir.mimic import VERSION, resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.store.file_format import FORMAT
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.hospital.default import content_version

SCHEMA = "mimic_iv"


@cache
def hospital() -> dict[str, Any]:
    """The hospital's seed, and the indices of its people."""
    return tomllib.loads(read_text(__package__, "hospital.toml"))


def made_chart() -> Record:
    """The record, built on first use."""
    return built_chart(f"assist-{_name()}", _build)


def made_database() -> Path:
    """The same patients as a DuckDB file in MIMIC-IV's layout, built on first use."""
    path = cache_folder() / "fhir" / f"assist-{_name()}.duckdb"
    if not path.exists():
        make_folder(path.parent)
        with ScratchFolder(path.parent) as scratch:
            new = scratch.path / path.name
            described = hospital()
            people, seed = described["people"], described["seed"]
            build_hospital(new, seed=seed, schema=SCHEMA, notes=True, indices=people)
            new.replace(path)
    return path


def _build(path: Path) -> None:
    build_record(path, resources(str(made_database())), source="a synthetic hospital")


def _name() -> str:
    return f"{VERSION}-{FORMAT}-{content_version(SCHEMA)}-{digest(hospital())[:8]}"
