"""A server whose reads are forwarded and whose writes stay here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.proxy import ProxyServer
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace


def observation(id: str, day: int) -> Resource:
    return {
        "resourceType": "Observation",
        "id": id,
        "status": "final",
        "code": {"coding": [{"code": "K"}]},
        "subject": {"reference": "Patient/p"},
        "effectiveDateTime": f"2100-01-{day:02d}T10:00:00Z",
    }


class Counted:
    """A server that counts its requests by method."""

    def __init__(self, server: Workspace) -> None:
        self.server = server
        self.methods: list[str] = []

    def handle(self, request: Request) -> Response:
        self.methods.append(request.method)
        return self.server.handle(request)

    def close(self) -> None:
        self.server.close()


@pytest.fixture
def remote(tmp_path: Path) -> Counted:
    path = tmp_path / "remote.fhir"
    patient: Resource = {"resourceType": "Patient", "id": "p"}
    build_record(path, [patient, *(observation(f"o{day}", day) for day in (2, 4, 6, 8))])
    return Counted(Record.open(path).workspace())


@pytest.fixture
def proxy(remote: Counted, tmp_path: Path) -> Iterator[ProxyServer]:
    empty = tmp_path / "empty.fhir"
    build_record(empty, [])
    server = ProxyServer(remote, Record.open(empty).workspace(validation="record"))
    yield server
    server.close()


def write(proxy: ProxyServer, day: int) -> str:
    body = {name: value for name, value in observation("", day).items() if name != "id"}
    response = proxy.handle(Request("POST", "Observation", body=body))
    assert response.status == 201
    return response.headers["location"].removesuffix("/_history/1")


def found(proxy: ProxyServer, path: str) -> tuple[list[int], int]:
    body = proxy.handle(Request("GET", path)).body or {}
    days = [int(entry["resource"]["effectiveDateTime"][8:10]) for entry in body.get("entry", ())]
    return days, body["total"]


def test_reads_are_forwarded_and_writes_stay_here(proxy: ProxyServer, remote: Counted) -> None:
    assert proxy.handle(Request("GET", "Patient/p")).status == 200
    place = write(proxy, 5)
    assert proxy.handle(Request("GET", place)).status == 200
    assert proxy.handle(Request("DELETE", place)).status == 204
    assert proxy.handle(Request("GET", place)).status == 410
    assert set(remote.methods) == {"GET"}


def test_written_resources_are_merged_into_a_sorted_page(proxy: ProxyServer) -> None:
    search = "Observation?patient=p&code=K&_sort=-date"
    assert found(proxy, search) == ([8, 6, 4, 2], 4)
    write(proxy, 5)
    assert found(proxy, search) == ([8, 6, 5, 4, 2], 5)
    assert found(proxy, "Observation?patient=p&code=Na") == ([], 0)


@pytest.mark.parametrize(
    "path",
    [
        "Observation?patient=p&_sort=date&_count=2",  # the written one belongs on a later page
        "Observation?patient=p&_include=Observation:patient",
        "Observation?subject:Patient.name=Roe",
        "Observation?patient=p&_sort=_lastUpdated",
    ],
)
def test_a_search_that_cannot_be_completed(proxy: ProxyServer, path: str) -> None:
    write(proxy, 7)
    assert proxy.handle(Request("GET", path)).status == 501


def test_a_resource_of_the_server_is_not_changed(proxy: ProxyServer) -> None:
    response = proxy.handle(Request("PUT", "Observation/o2", body=observation("o2", 3)))
    assert response.status == 501
