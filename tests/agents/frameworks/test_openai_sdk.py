"""Agents of the OpenAI Agents SDK play trials on a stub server."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

import wardround
from wardround.core.trajectory import Called, Said

# The SDK takes seconds to import: where it is used, not where tests are collected.
if TYPE_CHECKING:
    from agents import Agent

SITE = Path(__file__).parents[2] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


class Stub(BaseHTTPRequestHandler):
    """Answers each request by the next message of `replies`, and keeps what was asked."""

    replies: list[dict[str, Any]] = []  # noqa: RUF012
    asked: list[dict[str, Any]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        Stub.asked.append(json.loads(self.rfile.read(length)))
        message = Stub.replies[min(len(Stub.asked), len(Stub.replies)) - 1]
        body = json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "stub",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def called(tool: str, arguments: str) -> dict[str, Any]:
    function = {"name": tool, "arguments": arguments}
    calls = [{"id": "c1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


@pytest.fixture
def sdk_agent(monkeypatch: pytest.MonkeyPatch) -> Iterator["Agent[Any]"]:
    from agents import Agent, OpenAIChatCompletionsModel, set_tracing_disabled
    from openai import AsyncOpenAI

    monkeypatch.syspath_prepend(str(SITE))
    set_tracing_disabled(True)
    Stub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    model = OpenAIChatCompletionsModel("stub", openai_client=client)
    yield Agent("ward", instructions="Be brief.", model=model)
    server.shutdown()
    server.server_close()


def played(agent: "Agent[Any]", folder: Path) -> wardround.Run:
    from wardround.agents.frameworks.openai_sdk import openai_agent

    return wardround.run(
        TRIAGE, agent=openai_agent(agent), task="stroke", concurrency=1, out=folder / "run"
    )


def test_its_final_output_is_said(sdk_agent: "Agent[Any]", tmp_path: Path) -> None:
    Stub.replies = [said("red")]
    run = played(sdk_agent, tmp_path)
    [trial] = run.trials()
    assert trial.outcome == "passed"
    assert Said("agent", "red") in run.trajectory("stroke").events
    use = trial.use["agent"]
    assert (use.requests, use.input_tokens, use.output_tokens) == (1, 7, 2)
    system = Stub.asked[0]["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert "stroke in the east" in system


def test_its_calls_are_actions(sdk_agent: "Agent[Any]", tmp_path: Path) -> None:
    Stub.replies = [called("say", '{"text": "red"}'), said("Done.")]
    run = played(sdk_agent, tmp_path)
    assert run.trials()[0].outcome == "passed"
    assert not [event for event in run.trajectory("stroke").events if isinstance(event, Called)]
    assert [tool["function"]["name"] for tool in Stub.asked[0]["tools"]] == ["say"]


def test_arguments_that_are_no_json_go_back_to_the_model(
    sdk_agent: "Agent[Any]", tmp_path: Path
) -> None:
    Stub.replies = [called("say", "{"), said("red")]
    assert played(sdk_agent, tmp_path).trials()[0].outcome == "passed"
    assert Stub.asked[1]["messages"][-1]["content"] == "The arguments are not JSON."
