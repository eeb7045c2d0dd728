"""Reading a FHIR server page by page, and servers that answer otherwise."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.cases import for_each
from wardround.core.errors import InfraError, UserError
from wardround.ehr.fhir.interaction import Request
from wardround.ehr.fhir.remote import RemoteServer, remote_resources, searchable_types

BASE = "https://fhir.test/r4"
Answer = Callable[[httpx2.Request], httpx2.Response]


def server(answer: Answer, token: str | None = None) -> RemoteServer:
    client = httpx2.Client(transport=httpx2.MockTransport(answer))
    return RemoteServer(BASE, token, client, wait=lambda seconds: None)


def bundle(ids: list[str], following: str | None = None, **more: Any) -> dict[str, Any]:
    entries = [{"resource": {"resourceType": "Patient", "id": each}} for each in ids]
    links = [{"relation": "next", "url": following}] if following else []
    return {"resourceType": "Bundle", "type": "searchset", "entry": entries, "link": links, **more}


def paged(pages: dict[str, Any]) -> Answer:
    """Answers by path and query below the base."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        page = pages[str(request.url).removeprefix(BASE + "/")]
        return httpx2.Response(200, json=page) if isinstance(page, dict) else page

    return answer


def patients(pages: dict[str, Any]) -> list[str]:
    found = remote_resources(server(paged(pages)), ["Patient"], page=2)
    return [each["id"] for each in found]


def test_next_links_are_followed_absolute_and_relative() -> None:
    pages = {
        "Patient?_count=2": bundle(["1", "2"], BASE + "/Patient?page=b", total=4),
        "Patient?page=b": bundle(["2", "3"], "Patient?page=c", total=4),
        "Patient?page=c": bundle(["4"], total=4),
    }
    assert patients(pages) == ["1", "2", "3", "4"]


def test_types_are_those_that_the_server_can_search() -> None:
    resource = [
        {"type": "Patient", "interaction": [{"code": "read"}, {"code": "search-type"}]},
        {"type": "Binary", "interaction": [{"code": "read"}]},
    ]
    metadata = {"resourceType": "CapabilityStatement", "rest": [{"resource": resource}]}
    assert searchable_types(server(paged({"metadata": metadata}))) == ["Patient"]


OUTCOME = {
    "resourceType": "OperationOutcome",
    "issue": [{"severity": "error", "code": "forbidden", "diagnostics": "No access."}],
}


@for_each(
    [
        (
            httpx2.Response(200, html="<html>Log in</html>"),
            f"{BASE}/Patient answered 200 with text/html, not with FHIR's JSON; check that it is "
            "below a FHIR server's base URL.",
        ),
        (httpx2.Response(403, json=OUTCOME), "The server answered 403 to Patient: No access."),
        (httpx2.Response(404, json={}), "The server answered 404 to Patient."),
        (httpx2.Response(503, json={}), "The server answered 503 to Patient."),
        (
            httpx2.Response(200, json={"resourceType": "Patient", "id": "1"}),
            "The server answered with Patient to Patient, no Bundle.",
        ),
        (
            bundle(["1"], total=3),
            "The server gave 1 of the 3 Patient resources that it says it has; try again.",
        ),
        (
            bundle(["1"], "Patient?_count=2"),
            "The server's next links for Patient go in a circle.",
        ),
        (
            bundle(["1"], "https://elsewhere.test/Patient?page=b"),
            f"A link leads from {BASE}/ to another server: https://elsewhere.test/Patient; give "
            "the base URL by which the server names itself.",
        ),
    ]
)
def test_a_server_that_answers_otherwise_is_one_sentence(page: Any, sentence: str) -> None:
    with pytest.raises(InfraError) as raised:
        patients({"Patient?_count=2": page})
    assert str(raised.value) == sentence


def test_a_server_out_of_reach_is_one_sentence() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("connection refused")

    with pytest.raises(InfraError, match=r"cannot be read \(connection refused\); check the addr"):
        searchable_types(server(refuse))


def test_a_busy_server_is_asked_again() -> None:
    answers = iter([httpx2.Response(503), httpx2.Response(200, json=bundle(["1"]))])
    found = remote_resources(server(lambda request: next(answers)), ["Patient"])
    assert [each["id"] for each in found] == ["1"]


def test_requests_carry_token_and_body() -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(201, json={"resourceType": "Flag", "id": "1"})

    flag = {"resourceType": "Flag", "status": "active"}
    response = server(answer, token="secret").handle(Request("POST", "Flag", body=flag))
    assert (response.status, response.body) == (201, {"resourceType": "Flag", "id": "1"})
    assert sent[0].headers["authorization"] == "Bearer secret"
    assert sent[0].headers["content-type"] == "application/fhir+json"
    search = Request("POST", "Patient/_search", body="name=Ann")
    server(answer).handle(search)
    assert sent[1].content == b"name=Ann"
    assert sent[1].headers["content-type"] == "application/x-www-form-urlencoded"


def test_a_base_that_is_no_url_is_refused() -> None:
    with pytest.raises(UserError, match=r"'hospital\.duckdb' is not the URL of a FHIR server"):
        RemoteServer("hospital.duckdb")
