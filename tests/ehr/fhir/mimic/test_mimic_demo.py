"""Resources made of MIMIC-IV's demo against the same demo published as FHIR."""

import gzip
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from wardround.ehr.database.engine import write_database
from wardround.ehr.fhir.mimic import CONVERSIONS, HOSPITAL_ZONE
from wardround.ehr.fhir.mimic.source import Source
from wardround.ehr.fhir.mimic.zone import Zone
from wardround.ehr.ingest.release import build, find_sources
from wardround.ehr.schema import load_schema

DATA = Path(__file__).resolve().parents[4] / "../shared/data"
TABLES, PUBLISHED = DATA / "mimic-iv-demo", DATA / "mimic-iv-demo-fhir"

pytestmark = pytest.mark.skipif(
    not (TABLES.exists() and PUBLISHED.exists()),
    reason="no published demo: resources are not compared with its own",
)

# Kinds of resources whose tables the copy of the demo has.
KINDS = (
    "Organization", "Patient", "Location", "Encounter", "EncounterED", "EncounterICU", "Condition",
    "Procedure", "ProcedureICU", "ObservationOutputevents", "ObservationDatetimeevents", "Specimen",
    "ObservationMicroTest", "ObservationMicroOrg", "ObservationMicroSusc", "Medication",
    "MedicationMix", "MedicationRequest", "MedicationDispense",
)  # fmt: skip
# Orders without a prescription, whose tables it lacks.
PROVIDER_ORDER = "http://mimic.mit.edu/fhir/mimic/identifier/medication-request-poe"


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """The demo's tables as a database."""
    folder = tmp_path_factory.mktemp("demo")
    schema, path = load_schema("mimic_iv"), str(folder / "demo.duckdb")
    with closing(write_database(path)) as target:
        build(schema, find_sources(schema, TABLES), target, folder / "faults")
    source = Source(path)
    yield source
    source.close()


def published(name: str) -> dict[str, Any]:
    """The published resources of a kind by id, as far as the tables here can tell."""
    with gzip.open(PUBLISHED / f"Mimic{name}.ndjson.gz", "rb") as lines:
        resources = (comparable(name, orjson.loads(line)) for line in lines)
        return {each["id"]: each for each in resources if not is_provider_order(each)}


def is_provider_order(resource: dict[str, Any]) -> bool:
    return any(each.get("system") == PROVIDER_ORDER for each in resource.get("identifier", ()))


def comparable(name: str, resource: dict[str, Any]) -> dict[str, Any]:
    """A resource without what the tables here lack, its members in any order."""
    if name in ("Condition", "Procedure"):
        resource["code"]["coding"][0].pop("display", None)
    if name == "EncounterED":
        resource.pop("hospitalization", None)
    if name in ("ObservationMicroTest", "ObservationMicroOrg") and "hasMember" in resource:
        resource["hasMember"].sort(key=lambda member: member["reference"])
    return resource


@pytest.mark.parametrize("name", KINDS)
def test_resources_equal_the_published_demo(source: Source, name: str) -> None:
    zone = Zone(HOSPITAL_ZONE)
    made = {
        each["id"]: comparable(name, each)
        for conversion in CONVERSIONS
        if conversion.name == name
        for each in conversion.resources(source, zone)
    }
    demo = published(name)
    assert demo.keys() <= made.keys()
    # Some stays in the emergency department are transfers only.
    assert demo.keys() == made.keys() or name == "EncounterED"
    equal = sum(made[key] == each for key, each in demo.items())
    assert equal == len(demo), f"{equal} of {len(demo)} {name} are equal"


def test_absent_tables_are_named(source: Source) -> None:
    assert {"labevents", "chartevents", "emar", "discharge"} <= set(source.absent)
