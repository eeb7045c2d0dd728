"""FHIR over HTTP: headers, formats, writes, and what a record refuses."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `web` is not installed")

from fastapi.testclient import TestClient

from wardround.apps.web.fhir_server import JSON, make_app
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record

TOKEN = "a token of more than 16 characters"
FLAG = {"resourceType": "Flag", "status": "active", "code": {"text": "Falls"}}
FLAG["subject"] = {"reference": "Patient/p"}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("fhir") / "small.fhir"
    build_record(path, [{"resourceType": "Patient", "id": "p", "gender": "female"}])
    return Record.open(path)


@pytest.fixture
def reader(record: Record) -> Iterator[TestClient]:
    with closing(record.workspace()) as workspace:
        yield TestClient(make_app(workspace, writable=False))


@pytest.fixture
def writer(record: Record, tmp_path: Path) -> Iterator[TestClient]:
    with closing(record.workspace(writes=tmp_path / "writes.fhir")) as workspace:
        yield TestClient(make_app(workspace, writable=True))


def test_a_resource_is_read_with_its_version(reader: TestClient) -> None:
    found = reader.get("/Patient/p")
    assert found.status_code == 200
    assert found.headers["content-type"] == JSON
    assert found.headers["etag"] == 'W/"1"'
    assert found.json()["gender"] == "female"


@pytest.mark.parametrize(
    ("tags", "status"), [('W/"1"', 304), ('"7", W/"1"', 304), ("*", 304), ('W/"2"', 200)]
)
def test_a_version_that_the_client_has_is_not_sent_again(
    reader: TestClient, tags: str, status: int
) -> None:
    found = reader.get("/Patient/p", headers={"if-none-match": tags})
    assert (found.status_code, bool(found.content)) == (status, status == 200)
    assert found.headers["etag"] == 'W/"1"'
    assert found.headers["last-modified"].endswith(" GMT")


@pytest.mark.parametrize(
    ("method", "path", "headers", "content", "status"),
    [
        ("GET", "/Patient/nobody", {}, b"", 404),
        ("GET", "/Patient/p", {"accept": "application/fhir+xml"}, b"", 406),
        ("GET", "/Elephant/1", {}, b"", 404),
        ("GET", "/Patient/p", {"accept": "text/html, */*;q=0.1"}, b"", 200),
        ("POST", "/Flag", {}, b"{}", 405),
        ("DELETE", "/Patient/p", {}, b"", 405),
        ("PATCH", "/Patient/p", {}, b"[]", 501),
        ("OPTIONS", "/Patient/p", {}, b"", 405),
    ],
)
def test_a_read_only_record(
    reader: TestClient, method: str, path: str, headers: dict[str, str], content: bytes, status: int
) -> None:
    answer = reader.request(method, path, headers=headers, content=content)
    assert answer.status_code == status
    kind = "Patient" if status == 200 else "OperationOutcome"
    assert answer.json()["resourceType"] == kind


@pytest.mark.parametrize(
    "query", ["", "?gender=female", "?identifier=http://example.org/a|1", "?_count=0"]
)
def test_links_are_whole_addresses(reader: TestClient, query: str) -> None:
    [link] = reader.get(f"/Patient{query}").json()["link"]
    assert link == {"relation": "self", "url": f"http://testserver/Patient{query}"}


def test_a_head_request_has_the_headers_of_a_read(reader: TestClient) -> None:
    found = reader.head("/Patient/p")
    assert (found.status_code, found.headers["etag"]) == (200, 'W/"1"')


@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({"content-type": "application/fhir+xml"}, b"<Flag/>", 415),
        ({"content-type": JSON}, b'{"resourceType": "Flag"', 400),
        ({"content-type": JSON}, b"[]", 400),
        ({"content-type": JSON}, b'{"resourceType": "Patient"}', 400),
    ],
)
def test_a_body_that_is_no_flag(
    writer: TestClient, headers: dict[str, str], content: bytes, status: int
) -> None:
    answer = writer.post("/Flag", headers=headers, content=content)
    assert answer.status_code == status
    assert answer.json()["issue"][0]["diagnostics"].endswith(".")


def test_writes_are_kept_beside_the_record(record: Record, tmp_path: Path) -> None:
    before, writes = record.path.read_bytes(), tmp_path / "writes.fhir"
    with closing(record.workspace(writes=writes)) as workspace:
        made = TestClient(make_app(workspace, writable=True)).post("/Flag", json=FLAG)
        assert made.status_code == 201
        place = made.headers["location"]
        assert place.startswith("http://testserver/Flag/")
    with closing(record.workspace(writes=writes)) as workspace:
        again = TestClient(make_app(workspace, writable=True))
        path = place.removeprefix("http://testserver").removesuffix("/_history/1")
        assert again.get(path).json()["code"] == {"text": "Falls"}
        late = again.put(path, json={**FLAG, "id": made.json()["id"]}, headers={"if-match": '"9"'})
        assert late.status_code == 412
        assert again.delete(path).status_code == 204
        assert again.get(path).status_code == 410
    assert record.path.read_bytes() == before


def test_a_token_is_needed_where_one_is_set(record: Record) -> None:
    with closing(record.workspace()) as workspace:
        client = TestClient(make_app(workspace, writable=False, token=TOKEN))
        assert client.get("/Patient/p").status_code == 401
        bearer = {"authorization": f"Bearer {TOKEN}"}
        assert client.get("/Patient/p", headers=bearer).status_code == 200


def test_another_host_name_is_refused_without_a_token(reader: TestClient) -> None:
    assert reader.get("/Patient/p", headers={"host": "elsewhere.example"}).status_code == 403
