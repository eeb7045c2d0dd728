"""The record of the shipped suite: a small synthetic hospital as FHIR."""

from functools import partial
from pathlib import Path

from wardround.core.folders import build_once, cache_folder
from wardround.ehr.fhir.charts import built_chart
from wardround.ehr.fhir.mimic import VERSION, resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.store.file_format import FORMAT
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.hospital.default import content_version

SCHEMA, PATIENTS, SEED = "mimic_iv", 30, 7


def made_chart() -> Record:
    """The record, built on first use."""
    name = f"fhiragentbench-{VERSION}-{FORMAT}-{content_version(SCHEMA)}"
    return built_chart(name, _build)


def hospital() -> Path:
    """The hospital as a DuckDB file, built on first use."""
    name = f"hospital-{PATIENTS}-{SEED}-{content_version(SCHEMA)}.duckdb"
    return build_once(
        cache_folder() / "fhir" / name,
        partial(build_hospital, patients=PATIENTS, seed=SEED, schema=SCHEMA, workers=1),
    )


def _build(path: Path) -> None:
    build_record(path, resources(str(hospital())), source="a synthetic hospital")
