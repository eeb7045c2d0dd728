"""Bodies that are too large or too slow, requests that never end, tokens, and other sites."""

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")

from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from tests.served import served
from wardround.apps.web import bounded_server
from wardround.apps.web.access import read_token
from wardround.apps.web.bounded_server import BoundedBodies, TimedProtocol
from wardround.apps.web.fhir_server import make_app as make_fhir_app
from wardround.core.errors import UserError
from wardround.ehr.fhir.reader_pool import ReaderPool
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record

MOST = 1000
HEAD = b"POST /x HTTP/1.1\r\nHost: localhost\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the size of the body."""
    message = await receive()
    await PlainTextResponse(str(len(message["body"])))(scope, receive, send)


@contextmanager
def running() -> Iterator[int]:
    """The port of a server with bounds of a tenth of a second."""

    def refused(status: int, reason: str) -> PlainTextResponse:
        return PlainTextResponse(reason, status)

    app = BoundedBodies(echo, MOST, refused, seconds=0.1)
    with served(app, http=TimedProtocol, ws="none") as port:
        yield port


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(bounded_server, "HEADER_SECONDS", 0.1)
    with running() as port:
        yield port


def exchanged(port: int, sent: bytes) -> bytes:
    """The bytes that a server answers until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(4096):
            received += part
        return received


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (HEAD + b"Content-Length: 600000000\r\n\r\n", b"HTTP/1.1 413"),
        (HEAD + b"Content-Length: 9999999999999999999\r\n\r\n", b"HTTP/1.1 413"),
        (
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"258\r\n%b\r\n" % (b"x" * 600) * 2,
            b"413",
        ),
        (HEAD + b"Content-Length: 10\r\n\r\nhalf", b"HTTP/1.1 408"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhalf", b"HTTP/1.1 408"),
        (HEAD[:-9], b""),
        (b"", b""),
        (HEAD + b"Content-Length: 3\r\n\r\nabc", b"HTTP/1.1 200"),
        (HEAD + b"Content-Length: 3\r\n\r\nabc" + HEAD[:-9], b"HTTP/1.1 200"),
    ],
    ids=[
        "size",
        "no number",
        "chunks",
        "slow body",
        "slow chunk",
        "slow head",
        "none",
        "whole",
        "two",
    ],
)
def test_requests_that_are_too_large_or_too_slow_end(port: int, sent: bytes, answer: bytes) -> None:
    received = exchanged(port, sent)
    assert answer in received
    assert bool(received) == bool(answer)


def test_requests_that_are_whole_are_answered_one_after_another(port: int) -> None:
    whole = HEAD + b"Content-Length: 3\r\n\r\nabc"
    received = exchanged(port, whole * 3)
    assert received.count(b"HTTP/1.1 200") == 3


async def _status(app: BoundedBodies, rest: asyncio.Event) -> int:
    """The status of a request whose body's second half comes after an event."""
    statuses = []

    async def halves() -> AsyncIterator[Message]:
        yield {"type": "http.request", "body": b"x" * 450, "more_body": True}
        await rest.wait()
        yield {"type": "http.request", "body": b"x" * 450, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    await app(scope, halves().__anext__, send)
    (status,) = statuses
    return int(status)


def test_bodies_that_are_held_at_once_have_a_bound_together() -> None:
    app = BoundedBodies(echo, MOST, lambda status, reason: PlainTextResponse(reason, status))

    async def statuses(requests: int) -> list[int]:
        rest = asyncio.Event()
        tasks = [asyncio.create_task(_status(app, rest)) for _ in range(requests)]
        await asyncio.sleep(0)
        rest.set()
        return sorted(await asyncio.gather(*tasks))

    assert asyncio.run(statuses(4)) == [200] * 4
    assert set(asyncio.run(statuses(12))) == {200, 503}
    assert asyncio.run(statuses(4)) == [200] * 4, "refused and answered bodies are given up"


@pytest.fixture
def record(tmp_path: Path) -> Record:
    path = tmp_path / "small.fhir"
    build_record(path, [{"resourceType": "Patient", "id": f"p{number}"} for number in range(5)])
    return Record.open(path)


def test_fhir_bodies_that_are_too_large_are_refused_as_outcomes(record: Record) -> None:
    with closing(record.workspace()) as workspace:
        client = TestClient(make_fhir_app(workspace, writable=True))
        answer = client.post("/Flag", content=b"", headers={"content-length": "600000000"})
    assert answer.status_code == 413
    assert answer.json()["issue"][0]["code"] == "too-long"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "headers", [{"origin": "http://elsewhere.test"}, {"sec-fetch-site": "cross-site"}]
)
def test_writes_from_another_site_are_refused(
    record: Record, method: str, headers: dict[str, str], tmp_path: Path
) -> None:
    with closing(record.workspace(writes=tmp_path / "writes.fhir")) as workspace:
        client = TestClient(make_fhir_app(workspace, writable=True))
        assert client.request(method, "/Patient/p1", headers=headers).status_code == 403
        assert client.get("/Patient/p1", headers=headers).status_code == 200


def test_searches_share_readers_and_their_pages(record: Record, tmp_path: Path) -> None:
    with closing(ReaderPool(record, tmp_path / "writes.fhir", readers=2)) as pool:
        client = TestClient(make_fhir_app(pool, writable=True))
        page = client.get("/Patient?_count=2&_sort=_id").json()
        seen = [entry["resource"]["id"] for entry in page["entry"]]
        while following := [each["url"] for each in page["link"] if each["relation"] == "next"]:
            page = client.get(following[0]).json()
            seen += [entry["resource"]["id"] for entry in page["entry"]]
        assert seen == ["p0", "p1", "p2", "p3", "p4"]
        made = client.post("/Patient", json={"resourceType": "Patient"}).json()["id"]
        for _ in range(3):
            assert client.get(f"/Patient?_id={made}").json()["total"] == 1


def test_slow_searches_do_not_keep_others_waiting(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wardround.ehr.fhir import reader_pool
    from wardround.ehr.fhir.interaction import Request, Response
    from wardround.ehr.fhir.workspace import Workspace

    monkeypatch.setattr(reader_pool, "BUSY_SECONDS", 0.01)
    begun, go_on = threading.Barrier(5), threading.Event()
    handle = Workspace.handle

    def slow(workspace: Workspace, request: Request) -> Response:
        if request.path.startswith("Patient?slow"):
            begun.wait(20)
            go_on.wait(20)
        return handle(workspace, request)

    monkeypatch.setattr(Workspace, "handle", slow)
    with closing(ReaderPool(record, readers=4)) as pool:
        searches = [
            threading.Thread(target=pool.handle, args=(Request("GET", "Patient?slow=1"),))
            for _ in range(4)
        ]
        for search in searches:
            search.start()
        begun.wait(20)
        assert pool.handle(Request("GET", "metadata")).status == 200
        assert pool.handle(Request("GET", "Patient/p1")).status == 200
        assert pool.handle(Request("GET", "Patient?_id=p1")).status == 503
        go_on.set()
        for search in searches:
            search.join()
        assert pool.handle(Request("GET", "Patient?_id=p1")).status == 200


def test_a_token_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a token of 20 letters\n")
    assert read_token(None, file) == "a token of 20 letters"
    assert read_token("given", None) == "given"
    file.with_name("empty").write_text("\n")
    for token, wrong in (("given", file), (None, tmp_path / "no"), (None, tmp_path / "empty")):
        with pytest.raises(UserError):
            read_token(token, wrong)


def test_a_request_that_goes_on_for_long_does_not_keep_a_server_from_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_server, "LAST_SECONDS", 0)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ended = list[bool]()

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    asking = threading.Thread(target=exchanged, args=(port, HEAD + b"Content-Length: 0\r\n\r\n"))
    before = signal.getsignal(signal.SIGTERM)
    try:
        bounded_server.run_server(endless, "127.0.0.1", port, asking.start)
    finally:
        signal.signal(signal.SIGTERM, before)
    asking.join()
    assert ended == [True]
