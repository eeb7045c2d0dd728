"""Measures loading, reading and searching a FHIR record of a synthetic hospital."""

import tempfile
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from urllib.parse import quote

import orjson

from bench.figures import Figure, figure
from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.fhir.mimic import resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace
from wardround.ehr.hospital import build_hospital

PATIENTS, REQUESTS = 100, 500
GOAL = "goal: median 1 and 95th percentile 5 on 152,346 resources"


def measure() -> list[Figure]:
    """Load time, size, and the times of reads by id and of two searches, answers as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        hospital, path = Path(folder) / "hospital.duckdb", Path(folder) / "hospital.fhir"
        build_hospital(hospital, patients=PATIENTS, schema="mimic_iv")
        every = list(resources(str(hospital)))
        start = perf_counter()
        build_record(path, every)
        loaded = perf_counter() - start
        name = f"FHIR record, {PATIENTS} patients"
        count = f"{len(every):,} resources"
        workspace = Record.open(path).workspace()
        found = [
            figure(f"{name}: load", loaded, "s", f"{count}; goal: 60 for 152,346"),
            figure(f"{name}: on disk", path.stat().st_size / 1e6, "MB", "goal: 700 for 152,346"),
            *_timed(f"{name}: read by id", workspace, _reads(every)),
            *_timed(f"{name}: Observation by patient, code and date", workspace, _codes(every)),
            *_timed(f"{name}: MedicationRequest by patient and drug", workspace, _drugs(every)),
        ]
        workspace.close()
    return found


def _reads(every: Sequence[Resource]) -> list[str]:
    return [f"{each['resourceType']}/{each['id']}" for each in every[:: len(every) // REQUESTS]]


def _codes(every: Sequence[Resource]) -> list[str]:
    charted = [each for each in every if "effectiveDateTime" in each and "code" in each]
    return [
        f"Observation?patient={_patient(each)}&code={each['code']['coding'][0]['code']}"
        f"&date=ge{each['effectiveDateTime'][:10]}&_sort=-date&_count=20"
        for each in charted[:: len(charted) // REQUESTS]
    ]


def _drugs(every: Sequence[Resource]) -> list[str]:
    """Searches by a name that follows `medicationReference`."""
    orders = [each for each in every if each["resourceType"] == "MedicationRequest"]
    patients = sorted({_patient(each) for each in orders})
    searches = cycle(
        f"MedicationRequest?patient={patient}&code:text={quote(drug)}"
        for patient in patients
        for drug in ("insulin", "heparin", "furosemide", "vancomycin", "potassium")
    )
    return list(islice(searches, REQUESTS))


def _patient(resource: Resource) -> str:
    reference: str = resource["subject"]["reference"]
    return reference.removeprefix("Patient/")


def _timed(name: str, workspace: Workspace, paths: Sequence[str]) -> list[Figure]:
    times = [_milliseconds(workspace, path) for path in paths]
    late = quantiles(times, n=20)[-1]
    about = f"{len(times)} requests, JSON included; {GOAL}"
    return [
        figure(f"{name}, median", median(times), "ms", about),
        figure(f"{name}, 95th percentile", late, "ms", about),
    ]


def _milliseconds(workspace: Workspace, path: str) -> float:
    start = perf_counter()
    response = workspace.handle(Request("GET", path))
    orjson.dumps(response.body)
    taken = 1000 * (perf_counter() - start)
    assert response.status == 200, response.body
    return taken
