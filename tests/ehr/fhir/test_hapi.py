"""Paging through a server in the shape of HAPI, by all who follow links."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ehr.fhir.hapi import BASE, HapiServer
from wardround.core.errors import InfraError
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.links import bundle_pages
from wardround.ehr.fhir.proxy import ProxyServer
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.remote import remote_resources
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace

IDS = ["o1", "o2", "o3", "o4", "o5"]
SEARCH = Request("GET", "Observation?patient=p&_count=5000")


def observation(id: str) -> Resource:
    return {
        "resourceType": "Observation",
        "id": id,
        "status": "final",
        "code": {"text": "K"},
        "subject": {"reference": "Patient/p"},
    }


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    path = tmp_path / "hapi.fhir"
    build_record(path, [{"resourceType": "Patient", "id": "p"}, *map(observation, IDS)])
    opened = Record.open(path).workspace()
    yield opened
    opened.close()


def ids(server: HapiServer) -> list[str]:
    pages = list(bundle_pages(server.remote(), SEARCH))
    return [e["resource"]["id"] for page in pages for e in (page.body or {}).get("entry", ())]


def test_next_links_of_the_base_with_a_query_are_followed(workspace: Workspace) -> None:
    server = HapiServer(workspace)
    assert ids(server) == IDS
    assert [url.partition("?")[0] for url in server.asked] == [f"{BASE}/Observation", BASE, BASE]
    found = remote_resources(HapiServer(workspace).remote(), ["Observation"])
    assert [each["id"] for each in found] == IDS


def test_next_links_elsewhere_on_the_same_server_are_followed(workspace: Workspace) -> None:
    server = HapiServer(workspace, link="http://hapi.test:8080/pages")
    assert ids(server) == IDS
    assert server.asked[-1].startswith("http://hapi.test:8080/pages?")


@pytest.mark.parametrize("link", ["http://elsewhere.test/fhir", "https://hapi.test:8080/fhir"])
def test_next_links_to_another_server_are_refused_in_a_sentence(
    workspace: Workspace, link: str
) -> None:
    sentence = (
        f"A link leads from {BASE}/ to another server: {link}; give the base URL by which the "
        "server names itself."
    )
    with pytest.raises(InfraError) as raised:
        list(remote_resources(HapiServer(workspace, link=link).remote(), ["Observation"]))
    assert str(raised.value) == sentence
    *_, last = bundle_pages(HapiServer(workspace, link=link).remote(), SEARCH)
    assert last.status == 400
    assert (last.body or {})["issue"][0]["diagnostics"] == sentence


@pytest.mark.parametrize(
    "path",
    [
        *("http://hapi.test:8080/admin", "http://elsewhere.test/fhir/Patient", "//elsewhere.test/"),
        *("../admin", "Patient/../../admin", "Patient/%2e%2e/%2E%2E/admin", "..\\admin"),
    ],
)
def test_addresses_that_the_server_did_not_give_are_refused(
    workspace: Workspace, path: str
) -> None:
    server = HapiServer(workspace)
    assert server.remote().handle(Request("GET", path)).status == 400
    assert server.asked == []


def test_later_pages_are_read_after_a_write(workspace: Workspace, tmp_path: Path) -> None:
    build_record(tmp_path / "empty.fhir", [])
    overlay = Record.open(tmp_path / "empty.fhir").workspace(validation="record")
    proxy = ProxyServer(HapiServer(workspace).remote(), overlay)
    written = {name: value for name, value in observation("").items() if name != "id"}
    assert proxy.handle(Request("POST", "Observation", body=written)).status == 201
    pages = [page.body or {} for page in bundle_pages(proxy, SEARCH)]
    found = [entry["resource"]["id"] for page in pages for entry in page["entry"]]
    assert found[1:] == IDS
    assert pages[0]["total"] == 6
    proxy.close()


def test_links_that_go_in_a_circle_end() -> None:
    class Circle:
        def handle(self, request: Request) -> Response:
            link = [{"relation": "next", "url": "Patient?a=1"}]
            return Response(200, {"resourceType": "Bundle", "link": link})

        def close(self) -> None: ...

    with pytest.raises(InfraError, match="go in a circle"):
        list(bundle_pages(Circle(), Request("GET", "Patient")))
