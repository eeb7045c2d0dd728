"""Reads and writes of a small record through its workspace."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from wardround.core.errors import UserError
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
FLAG: Resource = {
    "resourceType": "Flag",
    "status": "active",
    "code": {"text": "Falls"},
    "subject": {"reference": "Patient/p"},
}


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
    diagnosis = {"condition": {"reference": "urn:uuid:2"}}
    encounter = {**ENCOUNTER, "diagnosis": [diagnosis]}
    condition = {**CONDITION, "encounter": {"reference": "urn:uuid:1"}}
    done = transact(workspace, ("POST", "Condition", condition), ("POST", "Encounter", encounter))
    assert done.status == 200
    placed, encountered = (e["response"]["location"] for e in (done.body or {})["entry"])
    written = get(workspace, placed).body or {}
    assert encountered == f"{written['encounter']['reference']}/_history/1"
    back = (get(workspace, encountered).body or {})["diagnosis"][0]["condition"]["reference"]
    assert placed == f"{back}/_history/1"


def transact(workspace: Workspace, *steps: tuple[str, str, Resource]) -> Response:
    """Sends a transaction whose entries are urn:uuid:2, urn:uuid:1 and so on."""
    entries = [
        {
            "fullUrl": f"urn:uuid:{len(steps) - number}",
            "resource": resource,
            "request": {"method": method, "url": url},
        }
        for number, (method, url, resource) in enumerate(steps)
    ]
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
    return workspace.handle(Request("POST", "", body=bundle))


@pytest.mark.parametrize(
    ("step", "status"),
    [
        (("POST", "Patient", FLAG), 400),
        (("POST", "Flag", {**FLAG, "subject": {"reference": "urn:uuid:9"}}), 422),
        (("PUT", "Flag/x", {**FLAG, "id": "y"}), 400),
        (("DELETE", "Patient/p", {}), 501),
        (("POST", "Claim", {"resourceType": "Claim"}), 404),
    ],
)
def test_a_transaction_that_fails_changes_nothing(
    workspace: Workspace, step: tuple[str, str, Resource], status: int
) -> None:
    done = transact(workspace, ("POST", "Flag", FLAG), step)
    assert done.status == status
    assert "Entry 2" in str(done.body) or "urn:uuid:9" in str(done.body)
    assert workspace.overlay.writes() == 0
    assert transact(workspace, ("POST", "Flag", FLAG)).status == 200


def test_a_resource_is_written_once_in_a_transaction(workspace: Workspace) -> None:
    put: tuple[str, str, Resource] = ("PUT", "Flag/x", {**FLAG, "id": "x"})
    assert "twice" in sentence(transact(workspace, put, put))


def sentence(response: Response) -> str:
    return str((response.body or {})["issue"][0]["diagnostics"])


def put(workspace: Workspace, path: str, body: Resource, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return workspace.handle(Request("PUT", path, named, body))


def test_update_creates_under_a_free_id_and_counts_on(workspace: Workspace) -> None:
    flag = {**FLAG, "id": "mine"}
    assert put(workspace, "Flag/mine", flag).status == 201
    assert put(workspace, "Flag/mine", flag).headers["etag"] == 'W/"2"'
    assert workspace.handle(Request("DELETE", "Flag/mine")).status == 204
    again = put(workspace, "Flag/mine", flag)
    assert (again.status, again.headers["etag"]) == (201, 'W/"4"')


def test_an_update_of_the_base_hides_it_and_leaves_it_alone(record: Record) -> None:
    workspace, other = record.workspace(), record.workspace()
    assert put(workspace, "Patient/p", {**PATIENT, "gender": "male"}).status == 200
    assert (get(workspace, "Patient/p").body or {})["gender"] == "male"
    assert (get(workspace, "Patient/p/_history/1").body or {})["gender"] == "female"
    assert (get(other, "Patient/p").body or {})["gender"] == "female"


def test_two_writers_with_one_version(workspace: Workspace) -> None:
    assert put(workspace, "Patient/p", PATIENT, if_match='W/"1"').status == 200
    second = put(workspace, "Patient/p", PATIENT, if_match='W/"1"')
    assert second.status == 412
    assert sentence(second) == ("Patient/p is at version 2, not 1; read it and change it again.")
    assert put(workspace, "Flag/new", {**FLAG, "id": "new"}, if_match='W/"1"').status == 412


@pytest.mark.parametrize(
    ("wish", "kind"),
    [("minimal", None), ("representation", "Flag"), ("OperationOutcome", "OperationOutcome")],
)
def test_the_answer_to_a_write_is_as_preferred(
    workspace: Workspace, wish: str, kind: str | None
) -> None:
    done = workspace.handle(Request("POST", "Flag", {"prefer": f"return={wish}"}, FLAG))
    assert done.headers.keys() == {"etag", "last-modified", "location"}
    assert done.headers["last-modified"] == "Sun, 07 May 2180 16:00:00 GMT"
    assert (done.body or {}).get("resourceType") == kind


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "Patient/nobody", 404),
        ("GET", "Patient/p/_history/7", 404),
        ("GET", "Claim/1", 404),
        ("GET", "Patient/a_b", 400),
        ("PATCH", "Patient/p", 501),
        ("GET", "Patient/p/_history/1/x", 501),
        ("PUT", "Patient", 501),
        ("DELETE", "Patient/nobody", 404),
        ("POST", "Patient/p", 501),
    ],
)
def test_a_fault_is_a_status_and_a_sentence(
    workspace: Workspace, method: Any, path: str, status: int
) -> None:
    response = workspace.handle(Request(method, path))
    assert response.status == status
    assert sentence(response).endswith(".")


@pytest.mark.parametrize(
    ("body", "status", "place"),
    [
        ("<Flag/>", 400, None),
        ({**FLAG, "resourceType": "Patient"}, 400, None),
        ({**FLAG, "period": {"start": "2180-13-01"}}, 422, "Flag.period.start"),
        ({**FLAG, "status": "maybe"}, 422, "Flag.status"),
        ({**FLAG, "colour": "red"}, 422, "Flag.colour"),
        ({**FLAG, "subject": {"reference": "Patient/nobody"}}, 422, "Flag.subject"),
        ({**FLAG, "author": {"reference": "urn:uuid:1"}}, 422, "Flag.author"),
        ({**FLAG, "code": {"text": "\ud800"}}, 400, None),
        ({**FLAG, "code": {"coding": [{"version": 1 << 80}]}}, 400, None),
    ],
)
def test_what_is_no_r4_is_refused_with_its_place(
    workspace: Workspace, body: Any, status: int, place: str | None
) -> None:
    response = workspace.handle(Request("POST", "Flag", body=body))
    assert response.status == status
    issues = (response.body or {})["issue"]
    assert [issue["expression"] for issue in issues[1:]] == ([[place]] if place else [])
    assert workspace.overlay.writes() == 0


def test_a_store_that_records_takes_it_and_names_the_defects(record: Record) -> None:
    workspace = record.workspace(NOON, validation="record")
    wrong = {**FLAG, "colour": "red", "subject": {"reference": "Patient/nobody"}}
    made = workspace.handle(Request("POST", "Flag", body=wrong))
    assert made.status == 201
    assert (get(workspace, made.headers["location"]).body or {})["colour"] == "red"
    found = workspace.overlay.defects()
    assert [each.path for each in found] == ["Flag.colour", "Flag.subject"]
    assert found[1].sentence == "There is no Patient/nobody in the record."


def test_nobody_refers_to_what_is_not_known_yet(workspace: Workspace, record: Record) -> None:
    flag = {**FLAG, "subject": {"reference": "Patient/p"}, "encounter": {}}
    flag["encounter"] = {"reference": "Encounter/e"}
    early = record.workspace(datetime.fromisoformat("2180-05-06T22:00:00-04:00"))
    assert early.handle(Request("POST", "Flag", body=flag)).status == 422
    assert workspace.handle(Request("POST", "Flag", body=flag)).status == 201


def test_a_note_of_five_megabytes_is_read_back(workspace: Workspace) -> None:
    data = "QUJD" * (5 * 2**18)
    note = {
        "resourceType": "DocumentReference",
        "status": "current",
        "content": [{"attachment": {"contentType": "text/plain", "data": data}}],
    }
    made = workspace.handle(Request("POST", "DocumentReference", body=note))
    assert made.status == 201
    body = get(workspace, made.headers["location"]).body or {}
    assert body["content"][0]["attachment"]["data"] == data


def test_history_under_a_clock_ends_there(record: Record) -> None:
    def versions(clock: datetime | None) -> list[str]:
        bundle = get(record.workspace(clock), "Encounter/e/_history").body or {}
        return [entry["resource"]["status"] for entry in bundle["entry"]]

    assert versions(NOON) == ["in-progress"]
    assert versions(None) == ["finished", "in-progress"]
    assert get(record.workspace(NOON), "Encounter/e/_history/2").status == 404


def test_a_write_over_what_is_not_known_yet_hides_its_later_versions(record: Record) -> None:
    now = [datetime.fromisoformat("2180-05-06T12:00:00-04:00")]
    workspace = record.workspace(lambda: now[0])
    planned = {**ENCOUNTER, "status": "planned"}
    assert put(workspace, "Encounter/e", planned).status == 201
    now[0] = datetime.fromisoformat("2180-05-09T12:00:00-04:00")
    assert (get(workspace, "Encounter/e").body or {})["status"] == "planned"
    assert (get(workspace, "Encounter/e/_history").body or {})["total"] == 1


def test_writes_in_a_file_stay(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "writes.fhir"
    first = record.workspace(NOON, writes=file)
    place = first.handle(Request("POST", "Flag", body=FLAG)).headers["location"]
    first.close()
    second = record.workspace(NOON, writes=file)
    assert get(second, place).status == 200
    assert second.handle(Request("POST", "Flag", body=FLAG)).headers["location"] != place
    assert file.stat().st_mode & 0o77 == 0


def test_writes_over_another_record_are_refused(record: Record, tmp_path: Path) -> None:
    other = tmp_path / "other.fhir"
    build_record(other, [PATIENT])
    file = tmp_path / "writes.fhir"
    record.workspace(writes=file).close()
    with pytest.raises(UserError, match="another record"):
        Record.open(other).workspace(writes=file)


def test_32_trials_that_write_at_once(record: Record) -> None:
    before = record.path.read_bytes()
    ready = Barrier(32)

    def trial(number: int) -> list[str]:
        workspace = record.workspace(NOON)
        ready.wait()
        for _ in range(5):
            flag = {**FLAG, "code": {"text": f"trial {number}"}}
            place = workspace.handle(Request("POST", "Flag", body=flag)).headers["location"]
        texts = [f"trial {number}"] == [(get(workspace, place).body or {})["code"]["text"]]
        rows = workspace.overlay.connection.execute("SELECT body FROM resources WHERE type='Flag'")
        return [str(body) for (body,) in rows if texts]

    with ThreadPoolExecutor(32) as pool:
        for number, bodies in enumerate(pool.map(trial, range(32))):
            assert len(bodies) == 5
            assert all(f'"trial {number}"' in body for body in bodies)
    assert record.path.read_bytes() == before


def test_a_resource_that_exists_is_not_created_again(workspace: Workspace) -> None:
    flag = {**FLAG, "identifier": [{"system": "urn:x", "value": "1"}]}
    condition = {"if-none-exist": "identifier=urn:x|1"}
    first = workspace.handle(Request("POST", "Flag", condition, flag))
    again = workspace.handle(Request("POST", "Flag", condition, flag))
    assert (first.status, again.status) == (201, 200)
    assert (again.body or {})["id"] == (first.body or {})["id"]
    assert workspace.handle(Request("POST", "Flag", body=flag)).status == 201
    third = workspace.handle(Request("POST", "Flag", condition, flag))
    assert third.status == 412
    assert sentence(third).startswith("Several Flag match")


def test_a_transaction_refers_to_what_exists(workspace: Workspace) -> None:
    entries = [
        {
            "fullUrl": "urn:uuid:1",
            "resource": PATIENT,
            "request": {"method": "POST", "url": "Patient", "ifNoneExist": "_id=p"},
        },
        {
            "resource": {**FLAG, "subject": {"reference": "urn:uuid:1"}},
            "request": {"method": "POST", "url": "Flag"},
        },
    ]
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
    done = workspace.handle(Request("POST", "", {"prefer": "return=minimal"}, bundle))
    statuses = [entry["response"]["status"] for entry in (done.body or {})["entry"]]
    assert statuses == ["200", "201"]
    flag = get(workspace, (done.body or {})["entry"][1]["response"]["location"]).body or {}
    assert flag["subject"] == {"reference": "Patient/p"}
    assert "resource" not in (done.body or {})["entry"][1]
