"""The records of the shipped sessions: patients of synthetic hospitals, with notes, as FHIR."""

from functools import partial
from pathlib import Path
from typing import Any

from wardround.benchmarks.assist.declaration import Shipped
from wardround.core.folders import build_once, cache_folder
from wardround.core.packaged_data import read_toml
from wardround.core.task import digest
from wardround.ehr.fhir.charts import built_chart
from wardround.ehr.fhir.mimic import VERSION, resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.store.file_format import FORMAT
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.hospital.default import content_version

SCHEMA = "mimic_iv"


def hospital(sessions: Shipped) -> dict[str, Any]:
    """The seed of the hospital of some sessions, and the indices of its people."""
    described: dict[str, Any] = read_toml(__package__, "hospitals.toml")[sessions]
    return described


def made_chart(sessions: Shipped) -> Record:
    """The record of some sessions, built on first use."""
    return built_chart(f"assist-{_name(sessions)}", partial(_build, sessions))


def made_database(sessions: Shipped) -> Path:
    """The same patients as a DuckDB file in MIMIC-IV's layout, built on first use."""
    described = hospital(sessions)
    people, seed = described["people"], described["seed"]
    return build_once(
        cache_folder() / "fhir" / f"assist-{_name(sessions)}.duckdb",
        partial(build_hospital, seed=seed, schema=SCHEMA, notes=True, indices=people),
    )


def _build(sessions: Shipped, path: Path) -> None:
    build_record(path, resources(str(made_database(sessions))), source="a synthetic hospital")


def _name(sessions: Shipped) -> str:
    return f"{VERSION}-{FORMAT}-{content_version(SCHEMA)}-{digest(hospital(sessions))[:8]}"
