"""The MCP server, with the official client: in this process, over stdio and over HTTP."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from queue import Queue
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mcp")

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.assistant.ward import BEDS, ROWS, Ward, consulting, record_tools
from tests.assistant.worker_here import start_here
from tests.hospitals import hospital_file
from wardround.apps import mcp_server
from wardround.apps.command_line.serve import chosen_serving
from wardround.apps.mcp_server import MOST_BYTES, http_app, make_server
from wardround.apps.web.bounded_server import BoundedBodies, serve_app
from wardround.apps.web.signed_in import SignedIn
from wardround.assistant.assistant import Assistant
from wardround.assistant.open_assistant import Opened, opened_assistant
from wardround.assistant.record_session import ToolResult
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_record import opened_record
from wardround.assistant.users import Allowances, User, token_digest
from wardround.assistant.worker_handle import WorkerHandle
from wardround.core.actions import Call, Say
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.ehr.fhir.reader_pool import ReaderPool
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.sandbox.worker import Reply, Worker

TOKEN = "a-long-token-of-ann"
USERS = {"ann": User(token_sha256=token_digest(TOKEN))}
NOTICE = "This agent was not assessed on this database; do not rely on its answers."


@asynccontextmanager
async def opened_ward(folder: Path, notice: str = "") -> AsyncIterator[Opened]:
    """A ward that is open, with its record in a folder."""
    with opened_record(folder, {"settings": {"agent": "script"}}, has_values=True) as record:
        tools = record_tools(Ward(), record)
        served = Assistant(
            consulting(Ward(), BEDS, Say("Two.")),
            tools,
            record,
            Allowances(USERS),
            notice=notice,
        )
        yield Opened(served, tools, tools.reopen)
        await served.close()
        await tools.close()


@asynccontextmanager
async def asked_client(folder: Path, notice: str = "") -> AsyncIterator[Client]:
    """A client in this process."""
    async with (
        opened_ward(folder, notice) as opened,
        Client(make_server(opened, "script on wards")) as client,
    ):
        yield client


def text(result: Any) -> str:
    return str(result.content[0].text)


async def test_a_client_reads_and_asks(tmp_path: Path) -> None:
    async with asked_client(tmp_path, NOTICE) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["ask", "run", "look"]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert text(await client.call_tool("run", {"sql": "SELECT 1"})) == ROWS
        asked = json.loads(text(await client.call_tool("ask", {"question": "Wards?"})))
        assert asked["answer"] == "Two."
        assert asked["queries"][0]["rows"] == [["ICU", 12], ["Surgery", 30]]
        assert asked["notice"] == NOTICE
        more = {"question": "And beds?", "conversation": asked["conversation"]}
        again = json.loads(text(await client.call_tool("ask", more)))
        assert again["answer"] == "You said: And beds?"
    tools_used, *asked_trials = read_trials(tmp_path / "001")
    assert "tools" in tools_used.task
    events = read_trajectory(tmp_path / "001", tools_used.trajectory)
    assert [call.tool for call in events.calls()] == ["run"]
    assert [trial.trial for trial in asked_trials] == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"question": " "}, "The question is empty"),
        ({"question": "Wards?", "conversation": "another"}, "is over; start a new one"),
        ({"question": 7}, "as text"),
        ({}, "as text"),
        ({"question": "Wards?", "sql": "SELECT 1"}, "nothing else"),
    ],
)
async def test_a_wrong_question_is_a_sentence(
    tmp_path: Path, arguments: dict[str, Any], said: str
) -> None:
    async with opened_ward(tmp_path) as opened, Client(make_server(opened, "wards")) as client:
        refused = await client.call_tool("ask", arguments)
        assert refused.is_error
        assert said in text(refused)


async def fhir_get(tools: RecordTools, path: str) -> ToolResult:
    return await tools.call("local", Call("fhir_get", {"path": path}))


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "There is no tool named 'nothing'"),
    ("sql_execute", {}, "argument 'query'"),
    ("sql_execute", {"query": 7}, "argument 'query'"),
    ("sql_execute", {"query": "SELECT 1", "more": 1}, "argument 'more'"),
    ("sql_execute", {"query": "SELECT beds FROM demographics"}, "no such column"),
    ("sql_execute", {"query": "DROP TABLE demographics"}, "not allowed"),
    ("sql_execute", {"query": "SELECT 1; SELECT 2"}, "one statement"),
    ("column_search", {"table": "nothing"}, "no table"),
    ("column_search", {"table": "x" * 200_000}, "too large"),
]


async def test_a_fault_of_a_tool_is_an_error_of_one_sentence(tmp_path: Path) -> None:
    database = hospital_file("mimic_iv_star", 12, ending="sqlite")
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None}, {"agent": "parser"}
    )
    async with (
        opened_assistant(serving, tmp_path / "served", {}) as opened,
        Client(make_server(opened, "wards")) as client,
    ):
        for tool, arguments, said in FAULTS:
            failed = await client.call_tool(tool, arguments)
            assert failed.is_error, (tool, arguments)
            assert said in text(failed).lower() or said in text(failed), text(failed)
            assert "\n" not in text(failed)
        counts = [{"query": f"SELECT {number}"} for number in range(12)]
        shown = await asyncio.gather(
            *(client.call_tool("sql_execute", arguments) for arguments in counts)
        )
        assert [json.loads(text(each))["rows"] for each in shown] == [[[n]] for n in range(12)]
    trials = read_trials(tmp_path / "served" / "001")
    assert sorted(trial.trial for trial in trials) == list(range(len(FAULTS) + 12))


async def test_a_fault_of_the_database_is_an_error_without_its_words(tmp_path: Path) -> None:
    async with opened_ward(tmp_path) as opened, Client(make_server(opened, "wards")) as client:
        failed = await client.call_tool("break", {})
        assert failed.is_error
        assert text(failed) == "The record could not be read; try again."
        assert text(await client.call_tool("run", {"sql": "SELECT 1"})) == ROWS


@asynccontextmanager
async def served_ward(folder: Path, signed_in: SignedIn) -> AsyncIterator[str]:
    """The address of a ward that is served over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    async with opened_ward(folder) as opened:
        begun = asyncio.Event()
        app = http_app(make_server(opened, "wards"), address, signed_in)
        serving = asyncio.create_task(serve_app(app, "127.0.0.1", port, begun.set))
        await begun.wait()
        yield address
        serving.cancel()
        await asyncio.wait({serving})


async def asked_over_http(address: str, **headers: str) -> str:
    """The answer that a client with some headers gets."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx2.AsyncClient(headers=named) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport) as client:
            asked = await client.call_tool("ask", {"question": "Wards?"})
            return str(json.loads(text(asked))["answer"])


async def test_a_client_that_leaves_before_its_answer_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @asynccontextmanager
    async def left() -> AsyncIterator[tuple[None, None]]:
        yield None, None
        raise ExceptionGroup("its output is closed", [BrokenPipeError()])

    async def run(reads: None, writes: None, options: None) -> None:
        pass

    monkeypatch.setattr(mcp_server, "stdio_server", left)
    server: Any = SimpleNamespace(run=run, create_initialization_options=lambda: None)
    await mcp_server.serve_stdio(server)
    assert "the client left" in caplog.text


async def status_over_http(address: str, **headers: str) -> int:
    """The status that a request with some headers gets."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx2.AsyncClient(headers=named) as http:
        return (await http.post(f"{address}/mcp", json={})).status_code


async def test_over_http_each_person_has_a_token(tmp_path: Path) -> None:
    async with served_ward(tmp_path, SignedIn(USERS)) as address:
        for headers, allowed in (
            ({"Authorization": f"Bearer {TOKEN}"}, True),
            ({"Authorization": "Bearer wrong"}, False),
            ({"Authorization": "Bearer ann"}, False),
            ({}, False),
        ):
            assert (await status_over_http(address, **headers) != 401) is allowed
        by_token = f"Bearer {TOKEN}"
        assert await asked_over_http(address, Authorization=by_token) == "Two."
        # From another site, and by the name that a proxy has.
        assert await status_over_http(address, Authorization=by_token, Origin="http://evil") == 403
        named = await status_over_http(address, Authorization=by_token, Host="hospital.example")
        assert named not in (401, 403, 421)
    (trial,) = read_trials(tmp_path / "001")
    assert trial.labels["person"] == "ann"


async def test_many_wrong_tokens_shut_out_only_who_was_not_let_in(tmp_path: Path) -> None:
    users = {**USERS, "bob": User(token_sha256=token_digest("a-long-token-of-bob"))}
    async with served_ward(tmp_path, SignedIn(users)) as address:
        known, unknown = f"Bearer {TOKEN}", "Bearer a-long-token-of-bob"
        assert await status_over_http(address, Authorization=known) != 401
        for number in range(20):
            assert await status_over_http(address, Authorization=f"Bearer wrong {number}") == 401
        assert await status_over_http(address, Authorization=unknown) == 401
        assert await asked_over_http(address, Authorization=known) == "Two."


async def test_a_proxy_names_the_person_of_a_call(tmp_path: Path) -> None:
    users = {**USERS, "carl": User()}
    async with served_ward(tmp_path, SignedIn(users, "X-Remote-User")) as address:
        assert await asked_over_http(address, X_Remote_User="carl") == "Two."
        for headers in (
            {},
            {"X_Remote_User": "eve"},
            {"Authorization": f"Bearer {TOKEN}"},
            {"Authorization": "Bearer carl"},
        ):
            assert await status_over_http(address, **headers) == 401
    (trial,) = read_trials(tmp_path / "001")
    assert trial.labels["person"] == "carl"


async def test_a_body_that_is_too_large_or_too_slow_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedBodies.__init__, "__defaults__", (0.1,))

    async def slow() -> AsyncIterator[bytes]:
        yield b'{"jsonrpc":'
        await asyncio.sleep(1)
        yield b"0}"

    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    async with opened_ward(tmp_path) as opened:
        app = http_app(make_server(opened, "wards"), "http://localhost", SignedIn(USERS))
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            large = await client.post("/mcp", content=b" " * (MOST_BYTES + 1), headers=headers)
            late = await client.post("/mcp", content=slow(), headers=headers)
    assert (large.status_code, late.status_code) == (413, 408)


async def test_the_command_serves_a_real_client(tmp_path: Path) -> None:
    hospital = hospital_file("mimic_iv_star", 12, ending="sqlite")
    program = StdioServerParameters(
        command=sys.executable,
        args=[
            "-m",
            "wardround",
            "mcp",
            "--unassessed",
            str(hospital),
            "--agent",
            "parser",
            "--out",
            str(tmp_path / "served"),
        ],
    )
    async with Client(stdio_client(program)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "ask" in names
        refused = await client.call_tool("sql_execute", {"query": "DELETE FROM demographics"})
        assert refused.is_error
        assert "not allowed" in text(refused)
        asked = {"question": "How many patients are female?"}
        reply = json.loads(text(await client.call_tool("ask", asked)))
        assert reply["queries"]
        assert "not assessed" in reply["notice"]


async def test_a_client_that_leaves_a_call_ends_its_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = hospital_file("mimic_iv_star", 12, ending="sqlite")
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None}, {"agent": "parser"}
    )
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c"
    replies = Queue[Reply]()
    ask = Worker.ask

    def asked(self: Worker, seconds: float | None, *request: object) -> Reply:
        reply = ask(self, seconds, *request)
        if endless in request:
            replies.put(reply)
        return reply

    monkeypatch.setattr(Worker, "ask", asked)
    monkeypatch.setattr(WorkerHandle, "start", start_here)
    async with (
        opened_assistant(serving, tmp_path / "served", {}) as opened,
        Client(make_server(opened, "wards")) as client,
    ):
        await client.call_tool("sql_execute", {"query": "SELECT 1"})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await client.call_tool("sql_execute", {"query": endless})
        began = monotonic()
        reply = await asyncio.to_thread(replies.get, timeout=30)
        assert reply.interrupted
        assert monotonic() - began < 5  # a second, and its ten where nobody leaves
    calls = [
        call.arguments["query"]
        for trial in read_trials(tmp_path / "served" / "001")
        for call in read_trajectory(tmp_path / "served" / "001", trial.trajectory).calls()
    ]
    assert calls == ["SELECT 1", endless]


async def test_resources_are_read_and_nothing_is_written(tmp_path: Path) -> None:
    record_file = tmp_path / "record.fhir"
    build_record(record_file, [{"resourceType": "Patient", "id": "p", "gender": "female"}])
    with (
        opened_record(tmp_path / "served", {"settings": {}}, has_values=True) as record,
        closing(ReaderPool(Record.open(record_file))) as fhir,
    ):
        tools = record_tools(Ward(), record, fhir)
        assert [spec.name for spec in await tools.specs("local")] == ["run", "look", "fhir_get"]
        get = partial(fhir_get, tools)
        found = json.loads((await get("Patient?_count=1")).text)
        (entry,) = found["entry"]
        path = f"Patient/{entry['resource']['id']}"
        read = json.loads((await get(path)).text)
        assert read["resourceType"] == "Patient"
        for wrong in ("Nothing/1", "../../etc/passwd", "http://example.org/Patient/1", ""):
            answer = await get(wrong)
            resource = json.loads(answer.text)["resourceType"]
            assert resource in ("OperationOutcome", "Bundle")
            assert answer.is_error is (resource == "OperationOutcome")
        for arguments in ({}, {"path": 3}, {"path": "Patient", "sql": "SELECT 1"}):
            refused = await tools.call("local", Call("fhir_get", arguments))
            assert refused.is_error
            assert "as text" in refused.text
        await tools.close()
    calls = [
        read_trajectory(tmp_path / "served" / "001", trial.trajectory).calls()[0].tool
        for trial in read_trials(tmp_path / "served" / "001")
    ]
    assert calls == ["fhir_get"] * 6
