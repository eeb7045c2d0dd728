"""`vf-eval` plays a benchmark with a stub of a model; WARDROUND names wardround's command."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

HERE = Path(__file__).parent
WARDS = ("icu", "surgery", "broken")


class Model(BaseHTTPRequestHandler):
    """Looks the beds up with the tool, and answers with them; half of them for surgery."""

    requests: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.requests.append(request)
        last = request["messages"][-1]
        ward = request["messages"][1]["content"].split()[-1].rstrip("?")
        message: dict[str, Any] = {"role": "assistant", "content": last["content"]}
        if last["role"] == "user":
            called = {"name": "beds", "arguments": json.dumps({"ward": ward})}
            calls = [{"id": "c1", "type": "function", "function": called}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        elif ward == "surgery":
            message["content"] = "15"
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "stub"}
        body = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *of_request: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_rewards_are_the_grades_and_a_fault_is_no_reward(url: str, tmp_path: Path) -> None:
    options = {
        "--model": "stub",
        "--client.base-url": url,
        "--client.api-key-var": "STUB_KEY",
        "--env.taskset.benchmark": "beds:Beds",
        "--env.taskset.command": os.environ.get("WARDROUND", "wardround"),
        "--output-dir": str(tmp_path),
        "--num-rollouts": "2",
    }
    words = [word for option in options.items() for word in option]
    ran = subprocess.run(
        [
            str(Path(sys.executable).parent / "vf-eval"),
            "wardround-verifiers",
            "--no-push",
            "--no-rich",
            *words,
        ],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    [file] = tmp_path.rglob("traces.jsonl")
    traces = [each for line in file.open() for each in json.loads(line)["traces"]]
    by_task = {task: [t for t in traces if t["task"]["key"] == task] for task in WARDS}
    assert {task: len(found) for task, found in by_task.items()} == dict.fromkeys(WARDS, 2), ran
    for task, reward in (("icu", 1.0), ("surgery", 0.0)):
        for trace in by_task[task]:
            assert trace["ok"], trace["errors"]
            assert trace["rewards"]["grade"]["score"] == reward
        trials = {trace["info"]["wardround"]["trial"] for trace in by_task[task]}
        assert trials == {0, 1}
    for trace in by_task["broken"]:  # its trial breaks off, and does not count
        assert not trace["ok"]
        assert not any(trace["rewards"].values())
        assert "the ward is closed" not in json.dumps(trace)
    [tool] = {json.dumps(tool) for request in Model.requests for tool in request["tools"]}
    assert json.loads(tool)["function"]["name"] == "beds"
    assert {trace["agent"]["config"]["runtime"]["type"] for trace in traces} == {"subprocess"}
