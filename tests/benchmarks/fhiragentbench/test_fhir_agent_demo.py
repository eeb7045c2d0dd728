"""Questions over the MIMIC-IV demo: answers from its tables, resources from its FHIR edition."""

import csv
import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.trials import run_trial
from wardround.benchmarks.fhiragentbench.benchmark import FhirAgentBenchmark
from wardround.benchmarks.fhiragentbench.declaration import FhirAgentOptions
from wardround.benchmarks.fhiragentbench.tasks import load_tasks
from wardround.core.declaration import Opening
from wardround.core.limits import Limits
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.kinds import resource_id
from wardround.ehr.fhir.store.builder import build_record
from wardround.models.roles import RoleModels

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
TABLES, FHIR = DATA / "mimic-iv-demo", DATA / "mimic-iv-demo-fhir"
FILES = ("MimicPatient", "MimicEncounter", "MimicEncounterICU")

pytestmark = pytest.mark.skipif(
    not (TABLES.is_dir() and FHIR.is_dir()),
    reason="no MIMIC-IV demo: questions over it are not answered",
)


def rows_of(name: str) -> list[dict[str, str]]:
    with gzip.open(next(TABLES.rglob(f"{name}.csv.gz")), "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def demo_resources(name: str) -> Iterator[Resource]:
    with gzip.open(FHIR / f"{name}.ndjson.gz") as file:
        yield from map(json.loads, file)


def questions(folder: Path) -> Path:
    """How many stays a patient has, for the first ten patients, from the demo's tables."""
    path = folder / "questions.csv"
    admissions = rows_of("admissions")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["question_id", "question", "true_answer", "patient_fhir_id", "true_fhir_ids"]
        )
        for subject in sorted({row["subject_id"] for row in admissions})[:10]:
            stays = [row["hadm_id"] for row in admissions if row["subject_id"] == subject]
            ids = {"Encounter": [resource_id("Encounter", stay) for stay in stays]}
            patient = resource_id("Patient", subject)
            row = [subject, "How many stays?", [[len(stays)]], patient, ids]
            writer.writerow(row)
    return path


async def test_the_oracle_passes_questions_over_the_demo(tmp_path: Path) -> None:
    record = tmp_path / "demo.fhir"
    build_record(
        record, (each for name in FILES for each in demo_resources(name)), validation="record"
    )
    options = FhirAgentOptions(strategy="multi-resource")
    limits = Limits(actions=9, seconds=60.0)
    opening = Opening(options, {"demo": str(record)}, limits, RoleModels({}))
    suite = load_tasks(questions(tmp_path))
    assert not suite.defects
    with closing(FhirAgentBenchmark.open(opening)) as benchmark:
        for task in suite.tasks:
            trial = await run_trial(benchmark, benchmark.oracle(task), task, 0)
            assert trial.last.rewards == {"strict": 1.0, "paper": 1.0}, task.id
