"""Facts of MIMIC-IV's demo against the same demo published as FHIR."""

import gzip
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from wardround.ehr.database import Database, open_database
from wardround.ehr.database.engine import write_database
from wardround.ehr.fhir.interaction import FhirServer, Resource
from wardround.ehr.fhir.mimic.kinds import resource_id
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.ingest.release import build, find_sources
from wardround.ehr.schema import load_schema
from wardround.ehr.scores import chart_facts, fhir_facts

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
TABLES, PUBLISHED = DATA / "mimic-iv-demo", DATA / "mimic-iv-demo-fhir"
# Two with long stays in intensive care, vasopressors and many diagnoses.
PATIENTS = (10014354, 10020944)
SHARED = ("Organization", "Location", "Medication", "MedicationMix")
OWN = ("Patient", "Encounter", "EncounterED", "EncounterICU", "Condition", "MedicationRequest",
       "ObservationOutputevents", "MedicationAdministrationICU")  # fmt: skip

pytestmark = pytest.mark.skipif(
    not (TABLES.exists() and PUBLISHED.exists()),
    reason="no published demo: facts of its tables and resources are not compared",
)


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("demo")
    schema, path = load_schema("mimic_iv"), str(folder / "demo.duckdb")
    with closing(write_database(path)) as target:
        build(schema, find_sources(schema, TABLES), target, folder / "faults")
    database = open_database(path)
    yield database
    database.close()


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FhirServer]:
    path = tmp_path_factory.mktemp("demo") / "demo.fhir"
    build_record(path, resources(), source="demo")
    server = Record.open(path).workspace()
    yield server
    server.close()


def resources() -> Iterator[Resource]:
    """The published resources of some patients."""
    ids = "|".join(resource_id("Patient", str(subject_id)) for subject_id in PATIENTS)
    named = re.compile(ids.encode())
    for kind in (*SHARED, *OWN):
        with gzip.open(PUBLISHED / f"Mimic{kind}.ndjson.gz", "rb") as lines:
            yield from (
                orjson.loads(line) for line in lines if kind in SHARED or named.search(line)
            )


@pytest.mark.integration
def test_published_resources_have_the_facts_of_the_tables(
    chart: Database, record: FhirServer
) -> None:
    """The demo at hand lacks results, charts, infusions and orders without a prescription."""
    sql = "SELECT subject_id, hadm_id, dischtime FROM admissions"
    rows = [row for row in chart.execute(sql, rows=None).rows if row[0] in PATIENTS]
    rates = []
    for subject_id, hadm_id, end in rows:
        time = datetime.fromisoformat(str(end))
        left = chart_facts(chart, int(str(subject_id)), int(str(hadm_id)), time)
        right = fhir_facts(record, int(str(subject_id)), int(str(hadm_id)), time)
        assert (left.birth, left.female) == (right.birth, right.female)
        assert left.codes == right.codes
        assert (left.coded, right.coded) == (True, True)
        assert [m for m in left.measurements if m.measure == "urine"] == list(right.measurements)
        assert set(left.orders) <= set(right.orders)
        rates += [infusion.rate for infusion in right.infusions]
    assert len(rows) == 21
    assert rates
    assert None not in rates
