"""Resources of a made hospital, for every test of FHIR."""

import pytest

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import resources
from wardround.ehr.hospital import build_hospital


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> list[Resource]:
    """The resources of a small synthetic hospital."""
    path = tmp_path_factory.mktemp("hospital") / "hospital.duckdb"
    build_hospital(path, patients=5, seed=3, schema="mimic_iv")
    return list(resources(str(path)))
