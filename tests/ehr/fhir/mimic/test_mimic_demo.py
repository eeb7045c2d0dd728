"""Resources made of MIMIC-IV's demo against the same demo published as FHIR."""

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

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
    not (TABLES.exists() and PUBLISHED.exists()), reason="the published demo is not here"
)

# Conversions whose tables the copy of the demo has, and the lowest share of resources equal to
# the published ones. Members of cultures stand in an order that the tables do not have. The
# emergency department's own module is not part of MIMIC-IV: admit source and disposition lack.
EQUAL = {
    "Organization": 1.0,
    "Patient": 1.0,
    "Location": 1.0,
    "Encounter": 1.0,
    "EncounterED": 0.0,
    "EncounterICU": 1.0,
    "Condition": 1.0,
    "Procedure": 1.0,
    "ProcedureICU": 1.0,
    "ObservationOutputevents": 1.0,
    "ObservationDatetimeevents": 1.0,
    "Specimen": 1.0,
    "ObservationMicroTest": 0.98,
    "ObservationMicroOrg": 0.99,
    "ObservationMicroSusc": 1.0,
    "Medication": 1.0,
    "MedicationMix": 1.0,
    "MedicationRequest": 1.0,
    "MedicationDispense": 1.0,
}
# The copy of the demo lacks the titles of billing codes, and the orders behind these ids.
UNTITLED = ("Condition", "Procedure")
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
    with gzip.open(PUBLISHED / f"Mimic{name}.ndjson.gz", "rt", encoding="utf-8") as lines:
        resources = {each["id"]: each for each in map(json.loads, lines)}
    if name in UNTITLED:
        for each in resources.values():
            del each["code"]["coding"][0]["display"]
    if name == "MedicationRequest":
        return {
            key: each
            for key, each in resources.items()
            if each["identifier"][0]["system"] != PROVIDER_ORDER
        }
    return resources


@pytest.mark.parametrize("name", EQUAL)
def test_resources_equal_the_published_demo(source: Source, name: str) -> None:
    zone = Zone(HOSPITAL_ZONE)
    made = {
        each["id"]: each
        for conversion in CONVERSIONS
        if conversion.name == name
        for each in conversion.resources(source, zone)
    }
    demo = published(name)
    assert demo.keys() <= made.keys()
    # Some stays in the emergency department are transfers only.
    assert demo.keys() == made.keys() or name == "EncounterED"
    equal = sum(made[key] == each for key, each in demo.items())
    assert equal >= EQUAL[name] * len(demo), f"{equal} of {len(demo)} {name} are equal"


def test_absent_tables_are_named(source: Source) -> None:
    assert {"labevents", "chartevents", "emar", "discharge"} <= set(source.absent)
