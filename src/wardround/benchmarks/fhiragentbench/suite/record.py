"""The record of the shipped questions: a synthetic hospital, the same on every machine."""

from pathlib import Path

from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.fhir.charts import built_chart
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE, resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import FORMAT, build_record
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.hospital.default import CODE_VERSION, COHORTS

PATIENTS = 20
VERSION = 1  # raise it when the conversion changes ids or values


def made_chart() -> Record:
    """The record, built on first use."""
    return built_chart(f"fhiragentbench-{VERSION}-{CODE_VERSION}-{FORMAT}", _build)


def make_hospital(path: Path) -> None:
    """Builds the hospital: 20 people, seed 0, MIMIC-IV's layout."""
    build_hospital(path, patients=PATIENTS, schema=COHORTS)


def _build(path: Path) -> None:
    with ScratchFolder(path.parent) as scratch:
        hospital = scratch.path / "hospital.duckdb"
        make_hospital(hospital)
        build_record(
            path,
            resources(str(hospital)),
            zone=HOSPITAL_ZONE,
            validation="record",
            source="a synthetic hospital",
        )
