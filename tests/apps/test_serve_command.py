"""`wardround serve` as a process of its own: killed, ended, and asked by a model that is down."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

pytest.importorskip("fastapi")

from tests.hospitals import hospital_file
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_trajectory, read_trials

QUESTION = "How many patients are female?"


@contextmanager
def served(record: Path, port: int, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process group of its own, with its address."""
    hospital = hospital_file("mimic_iv_star", 12, ending="sqlite")
    command = [sys.executable, "-m", "wardround", "serve", "--unassessed", str(hospital)]
    command += [*options, "--out", str(record), "--port", str(port)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found is not None
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()


def asked(address: str) -> str:
    """The text of an answer."""
    body = {"messages": [{"role": "user", "content": QUESTION}]}
    reply = httpx2.post(f"{address}/v1/chat/completions", json=body, timeout=60)
    assert reply.status_code == 200
    return str(reply.json()["choices"][0]["message"]["content"])


def test_a_killed_server_loses_no_answer(tmp_path: Path, free_port: int) -> None:
    with served(tmp_path, free_port, "--agent", "parser") as (process, address):
        said = asked(address)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    (trial,) = read_trials(tmp_path / "001")
    assert said.startswith(read_trajectory(tmp_path / "001", trial.trajectory).said_by("agent")[0])


def test_a_server_goes_on_with_the_record_of_a_killed_one_and_seals_it(
    tmp_path: Path, free_port: int
) -> None:
    said = list[str]()
    for number in (signal.SIGKILL, signal.SIGTERM):
        with served(tmp_path, free_port, "--agent", "parser") as (process, address):
            said += [asked(address) for _ in range(3)]
            os.killpg(process.pid, number)
            assert process.wait(timeout=60) == (0 if number == signal.SIGTERM else -number)
    trials = read_trials(tmp_path / "001")
    kept = [read_trajectory(tmp_path / "001", t.trajectory).said_by("agent")[0] for t in trials]
    assert len(kept) == len(said) == 6
    assert all(reply.startswith(text) for reply, text in zip(said, kept, strict=True))
    checked = check_run(tmp_path / "001")
    assert not checked.mismatches
    assert checked.sealed


def test_a_server_that_is_interrupted_seals_its_record(tmp_path: Path, free_port: int) -> None:
    with served(tmp_path, free_port, "--agent", "parser") as (process, address):
        asked(address)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert check_run(tmp_path / "001").sealed


def test_a_model_that_is_down_is_said(
    tmp_path: Path, free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    options = ("--model", "openai:any", "--base-url", "http://127.0.0.1:9/v1", "--max-wait", "1")
    with served(tmp_path, free_port, *options) as (_, address):
        assert asked(address).startswith("The conversation broke off by a fault (")
    (trial,) = read_trials(tmp_path / "001")
    assert trial.outcome == "infra_error"


@pytest.fixture
def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
