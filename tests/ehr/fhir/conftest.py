"""Resources of a made hospital, for every test of FHIR."""

import pytest

from tests.hospitals import hospital_file
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import resources


@pytest.fixture(scope="session")
def hospital() -> list[Resource]:
    """The resources of a small synthetic hospital."""
    return list(resources(str(hospital_file("mimic_iv", 5, seed=3))))
