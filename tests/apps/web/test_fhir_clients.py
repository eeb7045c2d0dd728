"""`wardround fhir serve` with two clients that others wrote: fhirpy and fhirclient."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
pytest.importorskip("fhirpy", reason="the client fhirpy is not installed")
pytest.importorskip("fhirclient", reason="the client fhirclient is not installed")

import fhirpy
import requests
from fhirclient.models.bundle import Bundle
from fhirclient.models.flag import Flag
from fhirclient.models.patient import Patient
from fhirclient.server import FHIRServer
from fhirpy.base.exceptions import MultipleResourcesFound, OperationOutcome, ResourceNotFound

from tests.ehr.fhir.served import served
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record

IDS = [f"p{number}" for number in range(7)]
FLAG = {
    "resourceType": "Flag",
    "status": "active",
    "code": {"text": "Falls"},
    "subject": {"reference": "Patient/p0"},
}
TRANSACTION = {
    "resourceType": "Bundle",
    "type": "transaction",
    "entry": [
        {
            "fullUrl": "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0",
            "resource": {"resourceType": "Patient", "gender": "male"},
            "request": {"method": "POST", "url": "Patient"},
        },
        {
            "fullUrl": "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7",
            "resource": {
                **FLAG,
                "subject": {"reference": "urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"},
            },
            "request": {"method": "POST", "url": "Flag"},
        },
    ],
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    patients = [{"resourceType": "Patient", "id": id, "gender": "female"} for id in IDS]
    build_record(folder / "small.fhir", patients)
    with served(Record.open(folder / "small.fhir"), folder / "writes.fhir") as base:
        yield base


@pytest.fixture
def client(base: str) -> Any:
    return fhirpy.SyncFHIRClient(base)


@pytest.fixture
def server(base: str) -> Iterator[Any]:
    made = FHIRServer(None, base)
    yield made
    made.session.close()


def test_fhirpy_reads_and_follows_next_links(base: str, client: Any) -> None:
    assert client.get("Patient", "p3")["gender"] == "female"
    found = client.resources("Patient").search(gender="female").sort("_id").limit(3)
    assert [each.id for each in found.fetch_all()] == IDS
    assert client.resources("Patient").search(gender="female").count() == len(IDS)
    with pytest.raises(ResourceNotFound):
        client.get("Patient", "nobody")


def test_fhirpy_writes(client: Any) -> None:
    flag = client.resource(**{"resource_type": "Flag", **FLAG}).create()
    flag["status"] = "inactive"
    flag.save()
    assert client.get("Flag", flag.id)["meta"]["versionId"] == "2"
    assert flag.refresh()["status"] == "inactive"  # sent with If-None-Match
    flag.delete()
    with pytest.raises(ResourceNotFound, match="was deleted"):
        client.get("Flag", flag.id)


def test_fhirpy_updates_with_if_match(base: str, client: Any) -> None:
    flag = client.resource(**{"resource_type": "Flag", **FLAG}).create()
    late = fhirpy.SyncFHIRClient(base, extra_headers={"If-Match": 'W/"2"'})
    # fhirpy has one exception for every 412.
    with pytest.raises(MultipleResourcesFound, match="at version 1, not 2"):
        late.resource(**{**flag, "resource_type": "Flag"}).save()
    current = fhirpy.SyncFHIRClient(base, extra_headers={"If-Match": 'W/"1"'})
    assert current.resource(**{**flag, "resource_type": "Flag"}).save()["meta"]["versionId"] == "2"


def test_fhirpy_sends_a_transaction_whose_references_are_resolved(client: Any) -> None:
    answer = client.execute("", method="post", data=TRANSACTION)
    patient, flag = (entry["resource"] for entry in answer["entry"])
    found = client.resources("Flag").search(patient=patient["id"]).fetch()
    assert [each.id for each in found] == [flag["id"]]
    assert found[0]["subject"]["reference"] == f"Patient/{patient['id']}"


def test_fhirpy_reports_the_outcome_of_a_resource_that_is_no_r4(client: Any) -> None:
    with pytest.raises(OperationOutcome, match="Flag has a defect"):
        client.resource(**{"resource_type": "Flag", **FLAG, "status": "flying"}).create()


def test_fhirclient_reads_the_statement_and_pages(server: Any) -> None:
    assert server.capabilityStatement.fhirVersion == "4.0.1"
    assert Patient.read("p2", server).gender == "female"
    pages = list(
        Patient.where({"gender": "female", "_sort": "_id", "_count": "3"}).perform_iter(server)
    )
    assert [len(page.entry) for page in pages] == [3, 3, 1]
    assert [entry.resource.id for page in pages for entry in page.entry] == IDS


def test_fhirclient_writes(server: Any) -> None:
    flag = Flag(Flag(FLAG).create(server))
    assert Flag.read(flag.id, server).as_json()["code"] == {"text": "Falls"}
    flag.status = "inactive"
    server.session.headers["If-Match"] = 'W/"9"'
    with pytest.raises(requests.HTTPError, match="412"):
        flag.update(server)
    server.session.headers["If-Match"] = 'W/"1"'
    assert flag.update(server)["meta"]["versionId"] == "2"
    del server.session.headers["If-Match"]
    flag.delete(server)
    with pytest.raises(requests.HTTPError, match="410"):
        Flag.read(flag.id, server)


def test_fhirclient_sends_a_transaction(server: Any) -> None:
    answer = Bundle(server.post_json("", Bundle(TRANSACTION).as_json()).json())
    patient, flag = (entry.resource for entry in answer.entry)
    assert flag.subject.reference == f"Patient/{patient.id}"


def test_fhirclient_searches_by_post(base: str, server: Any) -> None:
    form = {"gender": "female", "_sort": "-_id", "_count": "2"}
    found = Bundle(server.post_as_form(f"{base}Patient/_search", form).json())
    assert found.total == len(IDS)
    assert [entry.resource.id for entry in found.entry] == ["p6", "p5"]
