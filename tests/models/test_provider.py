"""Chats with a local HTTP server that simulates faults of providers."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from tests.cases import for_each
from wardround.core.errors import InfraError, MalformedAnswerError, UserError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message, ModelCall, ModelSettings, Reply, open_model
from wardround.models.model import ConversationTooLongError

# All chat with a local server.
pytestmark = pytest.mark.integration

Result = TypeVar("Result")
HANG, CUT = b"hang", b"cut"
HELLO = [Message("system", "Be brief."), Message("user", "Which ward?")]
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}}
SQL = ToolSpec("sql_execute", "Runs SQL.", QUERY)


class Verdict(BaseModel):
    passed: bool


class Endpoint:
    """Answers each request with the next of its replies, and keeps the request bodies."""

    def __init__(self, *replies: bytes) -> None:
        self.replies = list(replies)
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self.connections: set[asyncio.Task[Any] | None] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(asyncio.current_task())
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode().lower():
                length = int(head.partition("content-length:")[2].partition("\r\n")[0])
                self.heads.append(head)
                self.bodies.append(json.loads(await reader.readexactly(length)))
                reply = self.replies.pop(0)
                if reply == HANG:
                    await reader.read()
                    break
                writer.write(reply[:-10] if reply.endswith(CUT) else reply)
                if reply.endswith(CUT):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def http(status: int, body: bytes, *headers: str, kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def completion(text: str | None = "Ward 3.", **changes: Any) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": text, **changes.pop("message", {})}
    choice = {"index": 0, "finish_reason": changes.pop("finish", "stop"), "message": message}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    return http(200, json.dumps({**body, "choices": [choice], "usage": usage, **changes}).encode())


def refusal(status: int, message: str, *headers: str, **more: Any) -> bytes:
    return http(status, json.dumps({"error": {"message": message, **more}}).encode(), *headers)


def tool_call(arguments: str, name: str = "sql_execute") -> bytes:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": "c1", "type": "function", "function": function}]
    return completion(None, message={"tool_calls": calls}, finish="tool_calls")


def converse(
    endpoint: Endpoint,
    talk: Callable[[LanguageModel], Awaitable[Result]],
    **settings: Any,
) -> Result:
    """Serves the endpoint on a free port and runs a conversation with a model opened there."""

    async def run() -> Result:
        server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/v1"
        model = open_model(ModelSettings(name="openai:m", base_url=url, **settings), first_wait=0.0)
        try:
            return await talk(model)
        finally:
            await model.close()
            server.close()
            await asyncio.gather(*filter(None, endpoint.connections))
            endpoint.connections.clear()

    return asyncio.run(run())


def chat(endpoint: Endpoint, **settings: Any) -> tuple[Reply, list[Requested]]:
    requests: list[Requested] = []

    async def talk(model: LanguageModel) -> Reply:
        return await model.bind("agent", requests.append, 2**40 + 5).chat(HELLO, [SQL])

    return converse(endpoint, talk, **settings), requests


def test_a_chat_is_sent_as_set_and_recorded_once() -> None:
    endpoint = Endpoint(completion())
    reply, requests = chat(endpoint, temperature=0.5, max_tokens=99, reasoning_effort="low")
    assert reply == Reply("Ward 3.")
    body = endpoint.bodies[0]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["tools"][0]["function"]["parameters"]["properties"] == QUERY["properties"]
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.5, 99, 5)
    assert (body["model"], body["reasoning_effort"]) == ("m", "low")
    (request,) = requests
    assert (request.role, request.model, request.retries) == ("agent", "openai:m", 0)
    assert (request.input_tokens, request.output_tokens, request.cost) == (7, 3, None)


def test_a_price_of_ones_own_gives_the_cost() -> None:
    _, (request,) = chat(Endpoint(completion()), input_price=2.0, output_price=10.0)
    assert request.cost == pytest.approx((7 * 2 + 3 * 10) / 1e6)


def test_an_unseeded_model_is_sent_no_seed() -> None:
    endpoint = Endpoint(completion())
    chat(endpoint, seeded=False)
    assert "seed" not in endpoint.bodies[0]


FAULTS = {
    "429": refusal(429, "slow down", "retry-after: 0"),
    "408": refusal(408, "timeout"),
    "500": refusal(500, "oops"),
    "502, HTML": http(502, b"<html>bad gateway</html>", kind="text/html"),
    "529": refusal(529, "overloaded"),
    "cut connection": completion() + CUT,
    "not JSON": http(200, b"{half", kind="application/json"),
    "not even called JSON": http(200, b"hello", kind="text/plain"),
    "JSON of another kind": http(200, b"[1, 2]"),
    "null": http(200, b"null"),
    "no body": http(200, b""),
    "no choices": completion(choices=[]),
    "choices null": completion(choices=None),
    "error in a 200": refusal(200, "upstream failed"),
    "choice without message": completion(choices=[{"index": 0, "finish_reason": "stop"}]),
}


@for_each(FAULTS)
def test_provider_faults_are_retried_and_counted(fault: str) -> None:
    reply, requests = chat(Endpoint(FAULTS[fault], FAULTS[fault], completion()))
    assert reply.text == "Ward 3."
    assert [request.retries for request in requests] == [2]


@for_each(FAULTS)
def test_too_many_faults_are_an_infra_error_with_model_and_count(fault: str) -> None:
    endpoint = Endpoint(*[FAULTS[fault]] * 3)
    with pytest.raises(InfraError, match=r"'openai:m' at http://127.* 3 times in a row") as caught:
        chat(endpoint, retries=2)
    assert len(endpoint.bodies) == 3
    if fault[:3].isdigit():
        assert f"HTTP {fault[:3]}" in str(caught.value)


@pytest.mark.parametrize("retries", [0, 2])
def test_tokens_count_if_every_try_fails(retries: int) -> None:
    requests: list[Requested] = []

    async def talk(model: LanguageModel) -> None:
        with pytest.raises(InfraError):
            await model.bind("user", requests.append, 1).chat(HELLO)

    converse(Endpoint(*[FAULTS["no choices"]] * 3), talk, retries=retries)
    used = [(request.role, request.input_tokens, request.output_tokens) for request in requests]
    assert used == [("user", 7 * (retries + 1), 3 * (retries + 1))]


def test_a_call_without_any_tokens_is_not_recorded_if_it_fails() -> None:
    requests: list[Requested] = []

    async def talk(model: LanguageModel) -> None:
        with pytest.raises(InfraError):
            await model.bind("user", requests.append, 1).chat(HELLO)

    converse(Endpoint(FAULTS["500"]), talk, retries=0)
    assert not requests


def test_retry_after_of_a_day_fails_immediately() -> None:
    endpoint = Endpoint(refusal(429, "busy", "retry-after: 86400"), completion())
    with pytest.raises(InfraError, match=r"HTTP 429: busy.*in 86,400 s, and --max-wait is 300\.$"):
        chat(endpoint)
    assert len(endpoint.bodies) == 1


def test_different_faults_are_not_reported_as_consecutive() -> None:
    endpoint = Endpoint(FAULTS["500"], FAULTS["529"], FAULTS["500"])
    with pytest.raises(InfraError) as caught:
        chat(endpoint, retries=2)
    assert "in 3 tries (HTTP 500: oops; HTTP 529: overloaded)" in str(caught.value)
    assert "in a row" not in str(caught.value)


LEAKS = [
    "Incorrect key PW-of-the-zebra given",
    "headers: {'Authorization': 'Bearer PW-of-the-zebra'}",
    "x" * 195 + "PW-of-the-zebra",
    "found sk-proj-Ab_12-zebra in\nline two\r\nPW-of-the-zebra",
    "Authorization: bearer eyJhbGciOi.Jzebra.x",
    "BEARER=eyJzebra",
    "your key is sk-***zebra",
]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
@pytest.mark.parametrize("leak", LEAKS)
def test_errors_contain_no_key_and_are_one_line(
    leak: str, status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("WARD_KEY", "PW-of-the-zebra")
    caplog.set_level(logging.INFO)
    endpoint = Endpoint(*[refusal(status, leak, "retry-after: 1")] * 2)
    with pytest.raises((InfraError, UserError)) as caught:
        chat(endpoint, api_key_env="WARD_KEY", retries=1, max_wait=0.5)
    text = str(caught.value) + caplog.text
    assert "zebra" not in text
    assert "PW-of" not in text
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_timeout_is_a_provider_fault() -> None:
    endpoint = Endpoint(HANG, completion())
    reply, requests = chat(endpoint, timeout=0.2)
    assert (reply.text, requests[0].retries) == ("Ward 3.", 1)


def test_a_time_limit_that_was_reached_is_named() -> None:
    with pytest.raises(InfraError, match=r"no answer within its `timeout` of 0.2 s"):
        chat(Endpoint(HANG), timeout=0.2, retries=0)


def test_a_missing_server_is_a_provider_fault() -> None:
    settings = ModelSettings(name="openai:m", base_url="http://127.0.0.1:9/v1", retries=1)

    async def talk() -> None:
        model = open_model(settings, first_wait=0.0)
        try:
            await model.bind("agent", lambda request: None, None).chat(HELLO)
        finally:
            await model.close()

    with pytest.raises(InfraError, match="connection failed or cut"):
        asyncio.run(talk())


REFUSALS = {
    "key": (refusal(401, "bad key"), UserError, "refused the key .*401.*api_key_env"),
    "rights": (refusal(403, "not yours"), UserError, "refused the key"),
    "name": (refusal(404, "no such model"), UserError, "does not exist .*check its name"),
    "quota": (
        refusal(429, "pay first", code="insufficient_quota"),
        InfraError,
        "pay first.*waiting will not help",
    ),
    "request": (refusal(400, "tools[0] is invalid"), InfraError, r"HTTP 400: tools\[0\] is inv"),
    "too long (OpenAI)": (
        refusal(400, "too long", code="context_length_exceeded"),
        ConversationTooLongError,
        "Model 'openai:m' .* has a context window that the conversation exceeds",
    ),
    "too long (llama.cpp)": (
        refusal(400, "request exceeds it", type="exceed_context_size_error"),
        ConversationTooLongError,
        "context window that the conversation exceeds",
    ),
}


@for_each(REFUSALS)
def test_permanent_faults_are_raised_at_once(refused: str) -> None:
    answer, kind, message = REFUSALS[refused]
    endpoint = Endpoint(answer)
    with pytest.raises(kind, match=message):
        chat(endpoint)
    assert len(endpoint.bodies) == 1


def test_a_fault_never_quotes_the_conversation(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wardround")
    leaky = http(200, json.dumps({"choices": "SECRET"}).encode())
    with pytest.raises(InfraError) as caught:
        chat(Endpoint(leaky, leaky), retries=1)
    assert "model request failed" in caplog.text
    assert "SECRET" not in caplog.text + str(caught.value)


def test_tool_call_and_result_round_trip() -> None:
    endpoint = Endpoint(tool_call('{"query": "SELECT 1"}'), completion())

    async def talk(model: LanguageModel) -> Reply:
        bound = model.bind("agent", lambda request: None, None)
        first = await bound.chat(HELLO, [SQL])
        call = first.calls[0]
        assert (call.tool, call.arguments, call.problem) == (
            "sql_execute",
            {"query": "SELECT 1"},
            "",
        )
        result = Message("tool", "1", call_id=call.id, tool=call.tool)
        return await bound.chat([*HELLO, first.as_message(), result], [SQL])

    assert converse(endpoint, talk).text == "Ward 3."
    call_message, result_message = endpoint.bodies[1]["messages"][2:]
    assert call_message["tool_calls"][0]["id"] == result_message["tool_call_id"] == "c1"
    assert json.loads(call_message["tool_calls"][0]["function"]["arguments"]) == {
        "query": "SELECT 1"
    }
    assert result_message["content"] == "1"


def test_names_are_translated_for_the_provider_only() -> None:
    endpoint = Endpoint(tool_call('{"code-in": "x"}', name="Patient-read"), completion())
    schema = {"type": "object", "properties": {"code:in": {"type": "string"}}}
    tools = [ToolSpec("Patient.read", "Reads.", schema), SQL]

    async def talk(model: LanguageModel) -> Reply:
        bound = model.bind("agent", lambda request: None, None)
        first = await bound.chat(HELLO, tools)
        assert first.calls[0] == ModelCall("c1", "Patient.read", {"code:in": "x"})
        result = Message("tool", "1", call_id="c1", tool="Patient.read")
        await bound.chat([*HELLO, first.as_message(), result], tools)
        return first

    converse(endpoint, talk)
    first, second = endpoint.bodies
    assert [tool["function"]["name"] for tool in first["tools"]] == ["Patient-read", "sql_execute"]
    assert list(first["tools"][0]["function"]["parameters"]["properties"]) == ["code-in"]
    sent_back = second["messages"][2]["tool_calls"][0]["function"]
    assert sent_back["name"] == "Patient-read"
    assert json.loads(sent_back["arguments"]) == {"code-in": "x"}


def test_names_that_collide_are_refused_before_anything_is_sent() -> None:
    tools = [replace(SQL, name=name) for name in ("Patient.read", "Patient-read")]

    async def talk(model: LanguageModel) -> Reply:
        return await model.bind("agent", lambda request: None, None).chat(HELLO, tools)

    endpoint = Endpoint(completion())
    with pytest.raises(UserError, match="have the same name"):
        converse(endpoint, talk)
    assert endpoint.bodies == []


@pytest.mark.parametrize("arguments", ['{"query": ', "SELECT 1", "[1]", '"text"'])
def test_arguments_that_are_not_an_object_are_a_problem_of_the_call(arguments: str) -> None:
    reply, requests = chat(Endpoint(tool_call(arguments)))
    (call,) = reply.calls
    assert call.arguments == {}
    assert "'sql_execute' are not one JSON object" in call.problem
    assert requests[0].retries == 0


def test_thoughts_of_reasoning_models_are_sent_back() -> None:
    thinking = completion(message={"reasoning_content": "It is the third."})
    endpoint = Endpoint(thinking, completion())

    async def talk(model: LanguageModel) -> Reply:
        bound = model.bind("agent", lambda request: None, None)
        first = await bound.chat(HELLO)
        return await bound.chat([*HELLO, first.as_message(), Message("user", "Sure?")])

    converse(endpoint, talk)
    assert "It is the third." in json.dumps(endpoint.bodies[1]["messages"][2])


def judge(endpoint: Endpoint) -> tuple[Verdict, list[Requested]]:
    requests: list[Requested] = []

    async def talk(model: LanguageModel) -> Verdict:
        return await model.bind("validator", requests.append, 1).structured(HELLO, Verdict)

    return converse(endpoint, talk), requests


def test_a_structured_answer_is_asked_for_by_response_format() -> None:
    endpoint = Endpoint(completion('{"passed": true}'))
    assert judge(endpoint)[0] == Verdict(passed=True)
    form = endpoint.bodies[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["name"] == "Verdict"
    assert form["json_schema"]["schema"]["properties"]["passed"]["type"] == "boolean"
    assert "tools" not in endpoint.bodies[0]


def test_an_invalid_answer_is_sent_back_with_its_errors() -> None:
    endpoint = Endpoint(completion('{"passed": "perhaps"}'), completion('{"passed": false}'))
    verdict, requests = judge(endpoint)
    assert (verdict, len(requests)) == (Verdict(passed=False), 2)
    invalid, repair = endpoint.bodies[1]["messages"][-2:]
    assert invalid["content"] == '{"passed": "perhaps"}'
    assert "passed: Input should be a valid boolean" in repair["content"]


def test_after_two_repairs_it_is_a_malformed_answer() -> None:
    endpoint = Endpoint(*[completion("Yes, it passed.")] * 3)
    with pytest.raises(MalformedAnswerError, match="no Verdict in 3 tries"):
        judge(endpoint)
    assert len(endpoint.bodies) == 3


def test_chats_reuse_connections() -> None:
    endpoint = Endpoint(*[completion()] * 12)

    async def talk(model: LanguageModel) -> int:
        bound = model.bind("agent", lambda request: None, None)
        for _ in range(3):
            await asyncio.gather(*(bound.chat(HELLO) for _ in range(4)))
        return len(model.source._model.client.http._transport._all)  # type: ignore[attr-defined]

    assert converse(endpoint, talk) == 4
    assert len(endpoint.bodies) == 12


def test_a_named_key_is_sent_and_the_providers_own_never_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "for-openai-alone")
    monkeypatch.setenv("WARD_KEY", "for-the-ward")
    endpoint = Endpoint(completion(), completion())
    chat(endpoint)
    chat(endpoint, api_key_env="WARD_KEY")
    assert "for-openai-alone" not in "".join(endpoint.heads)
    assert "authorization: bearer for-the-ward" in endpoint.heads[1]
