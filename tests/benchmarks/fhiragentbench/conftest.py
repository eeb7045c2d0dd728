"""A record with the true resources of the shipped questions, and the hospital that they are of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.fhiragentbench.benchmark import FhirAgentBenchmark
from wardround.benchmarks.fhiragentbench.declaration import FhirAgentOptions
from wardround.benchmarks.fhiragentbench.suite.record import make_hospital
from wardround.benchmarks.fhiragentbench.tasks import shipped_tasks
from wardround.core.declaration import Opening
from wardround.core.limits import Limits
from wardround.ehr.fhir.mimic import resources
from wardround.ehr.fhir.store.builder import build_record
from wardround.models.roles import RoleModels


@dataclass(frozen=True)
class Made:
    """The hospital, and a record of the resources that questions ask for."""

    hospital: Path
    record: Path


Opener = Callable[..., FhirAgentBenchmark]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("fhiragentbench")
    made = Made(folder / "hospital.duckdb", folder / "hospital.fhir")
    make_hospital(made.hospital)
    wanted = {
        id for task in shipped_tasks().tasks for ids in task.hidden.resources.values() for id in ids
    }
    few = (
        each
        for each in resources(str(made.hospital))
        if each["id"] in wanted or each["resourceType"] in ("Patient", "Encounter")
    )
    build_record(made.record, few, validation="record")
    return made


@pytest.fixture
def open_benchmark(made: Made) -> Opener:
    def opened(models: Any = None, **options: Any) -> FhirAgentBenchmark:
        opening = Opening(
            FhirAgentOptions(**options),
            {"made": str(made.record)},
            Limits(actions=200, seconds=600.0),
            models or RoleModels({}),
        )
        return FhirAgentBenchmark.open(opening)

    return opened
