"""The record of the shipped suite: a small synthetic hospital as FHIR."""

from pathlib import Path

from wardround.core.folders import cache_folder
from wardround.core.private_files import make_folder
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
    folder = cache_folder() / "fhir"
    path = folder / f"hospital-{PATIENTS}-{SEED}-{content_version(SCHEMA)}.duckdb"
    if not path.exists():
        make_folder(folder)
        build_hospital(path, patients=PATIENTS, seed=SEED, schema=SCHEMA, workers=1, replace=True)
    return path


def _build(path: Path) -> None:
    build_record(path, resources(str(hospital())), source="a synthetic hospital")
