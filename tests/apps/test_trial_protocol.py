"""Trials over lines of JSON: requests, faults, and the command."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

import wardround
from wardround.apps.trial_protocol import TrialProtocol

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))


async def answers(*requests: object) -> list[dict[str, Any]]:
    async with wardround.open_trials(TRIAGE) as trials:
        protocol = TrialProtocol(trials)
        given = [await protocol.answer(orjson.dumps(request)) for request in requests]
        await protocol.close()
        return given


async def test_a_trial_is_played_to_its_grade() -> None:
    tasks, opened, said, graded = await answers(
        {"tasks": True}, {"open": "stroke", "trial": 2}, {"say": "red"}, {"finish": True}
    )
    assert tasks == {"tasks": ["stroke", "cough"]}
    assert opened["observation"]["text"] == "Which colour?"
    assert opened["tools"] == []
    assert said["observation"]["done"] is True
    assert graded == {"outcome": "passed", "counts": True, "reason": ""} | {
        "rewards": graded["rewards"]
    }
    assert graded["rewards"]["strict"] == 1.0


@pytest.mark.parametrize(
    ("requests", "problem"),
    [
        ([{"say": "red"}], "send open first"),
        ([{"open": "stroke"}, {"say": "red"}, {"say": "red"}], "send finish"),
        ([{"open": "stroke"}, {"finish": True}, {"finish": True}], "send open first"),
        ([{"open": "nobody"}], "has no task 'nobody'"),
        ([{"open": "stroke", "trial": "x"}], "A request is one of"),
        ([{"call": "beds", "arguments": []}], "A request is one of"),
        ([[]], "A request is one of"),
    ],
)
async def test_a_wrong_request_is_a_sentence(requests: list[object], problem: str) -> None:
    *_, last = await answers(*requests)
    assert problem in last["error"]


async def test_a_line_that_is_no_json_is_refused() -> None:
    async with wardround.open_trials(TRIAGE) as trials:
        assert await TrialProtocol(trials).answer(b"x") == {"error": "The line is not JSON."}


async def test_a_fault_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ConnectionError("a value of the database")

    monkeypatch.setattr("triage_plugin.benchmark.Desk.step", broken)
    _, faulty, again, graded = await answers(
        {"open": "stroke"}, {"say": "red"}, {"say": "red"}, {"finish": True}
    )
    assert faulty == {"error": "The trial broke off: send finish."}
    assert "send finish" in again["error"]
    assert graded == {"outcome": "infra_error", "counts": False, "rewards": {}, "reason": ""}


def test_an_interrupt_ends_the_command_though_a_line_is_awaited() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wardround", "session", TRIAGE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SITE)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"open": "cough"}\n')
    process.stdin.flush()
    assert b"rules" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def test_the_command_speaks_lines() -> None:
    requests = [{"open": "cough"}, {"say": "绿色"}, {"finish": True}]
    done = subprocess.run(
        [sys.executable, "-m", "wardround", "session", TRIAGE],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(SITE)},
    )
    *_, graded = map(json.loads, done.stdout.splitlines())
    assert graded["counts"] is True
