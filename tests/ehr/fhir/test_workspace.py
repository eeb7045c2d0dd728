"""Reads and writes of a small record through its workspace."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace

NOON = datetime.fromisoformat("2180-05-07T12:00:00-04:00")
PATIENT: Resource = {"resourceType": "Patient", "id": "p", "gender": "female"}
ENCOUNTER: Resource = {
    "resourceType": "Encounter",
    "id": "e",
    "status": "finished",
    "class": {"code": "IMP"},
    "subject": {"reference": "Patient/p"},
    "period": {"start": "2180-05-06T22:23:00-04:00", "end": "2180-05-07T17:15:00-04:00"},
    "hospitalization": {"dischargeDisposition": {"text": "HOME"}},
}
CONDITION: Resource = {
    "resourceType": "Condition",
    "id": "c",
    "code": {"text": "Sepsis"},
    "subject": {"reference": "Patient/p"},
    "encounter": {"reference": "Encounter/e"},
}
FLAG: Resource = {"resourceType": "Flag", "status": "active", "code": {"text": "Falls"}}


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("fhir") / "small.fhir"
    build_record(path, [CONDITION, PATIENT, ENCOUNTER])
    return Record.open(path)


@pytest.fixture
def workspace(record: Record) -> Iterator[Workspace]:
    opened = record.workspace(NOON)
    yield opened
    opened.close()


def get(workspace: Workspace, path: str) -> Response:
    return workspace.handle(Request("GET", path))


def test_an_encounter_is_in_progress_until_its_end(workspace: Workspace) -> None:
    found = get(workspace, "Encounter/e").body
    assert found is not None
    assert found["status"] == "in-progress"
    assert found["period"] == {"start": "2180-05-06T22:23:00-04:00"}
    assert "hospitalization" not in found


def test_a_billing_diagnosis_is_known_at_the_end_of_the_stay(record: Record) -> None:
    for time, status in (("17:14:59", 404), ("17:15:00", 200)):
        clock = datetime.fromisoformat(f"2180-05-07T{time}-04:00")
        assert get(record.workspace(clock), "Condition/c").status == status


def test_a_write_is_read_back_versioned_and_stamped_by_the_clock(workspace: Workspace) -> None:
    made = workspace.handle(Request("POST", "Flag", body=FLAG))
    assert made.status == 201
    place = made.headers["location"].removesuffix("/_history/1")
    found = get(workspace, place).body
    assert found is not None
    assert found["meta"] == {"versionId": "1", "lastUpdated": "2180-05-07T16:00:00.000+00:00"}
    changed = {**found, "status": "inactive"}
    assert workspace.handle(Request("PUT", place, {"if-match": 'W/"1"'}, changed)).status == 200
    assert workspace.handle(Request("PUT", place, {"if-match": 'W/"1"'}, changed)).status == 412
    assert workspace.handle(Request("DELETE", place)).status == 204
    assert get(workspace, place).status == 410
    assert (get(workspace, f"{place}/_history").body or {})["total"] == 3
    assert (get(workspace, f"{place}/_history/2").body or {})["status"] == "inactive"


def test_writes_are_nobody_elses(record: Record) -> None:
    first, second = record.workspace(NOON), record.workspace(NOON)
    place = first.handle(Request("POST", "Flag", body=FLAG)).headers["location"]
    assert get(first, place).status == 200
    assert get(second, place).status == 404


def test_a_transaction_resolves_references(workspace: Workspace) -> None:
    encounter = {k: v for k, v in ENCOUNTER.items() if k != "id"}
    condition = {**CONDITION, "encounter": {"reference": "urn:uuid:1"}}
    entries = [
        {"resource": condition, "request": {"method": "POST", "url": "Condition"}},
        {
            "fullUrl": "urn:uuid:1",
            "resource": encounter,
            "request": {"method": "POST", "url": "Encounter"},
        },
    ]
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
    done = workspace.handle(Request("POST", "", body=bundle))
    assert done.body is not None
    placed, encountered = (entry["response"]["location"] for entry in done.body["entry"])
    written = get(workspace, placed).body or {}
    assert encountered == f"{written['encounter']['reference']}/_history/1"


def test_a_transaction_that_fails_changes_nothing(workspace: Workspace) -> None:
    entries = [
        {"resource": FLAG, "request": {"method": "POST", "url": "Flag"}},
        {"resource": FLAG, "request": {"method": "POST", "url": "Patient"}},
    ]
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
    done = workspace.handle(Request("POST", "", body=bundle))
    assert done.status == 400
    assert "Entry 2" in str(done.body)
    assert workspace.overlay.writes() == 0
