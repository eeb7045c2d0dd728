"""Worker processes: answers, interrupts, kills, crashes and isolation from the user."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from socket import MSG_PEEK
from threading import Event
from time import monotonic

import pytest

from wardround.core.cancellation import cancelling_threads
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.worker import GRACE_SECONDS, Reply, Worker, WorkerEndedError, WorkerLateError


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    processes = ForkServer("tests.sandbox.services:main")
    with closing(processes), closing(Worker(processes)) as opened:
        yield opened


def test_requests_are_answered_in_order(worker: Worker) -> None:
    assert [worker.ask(None, "echo", number).values for number in range(3)] == [
        ("echo", 0),
        ("echo", 1),
        ("echo", 2),
    ]


def test_user_environment_is_hidden(worker: Worker) -> None:
    environment, folder, isolated = worker.ask(60, "environment").values
    assert "secret" not in str(environment)
    assert (environment["HOME"], folder, isolated) == ("/nonexistent", "/", 1)


def test_late_request_is_interrupted_and_the_worker_survives(worker: Worker) -> None:
    worker.ask(None, "echo")
    reply = worker.ask(0.05, "wait")
    assert (reply.values, reply.interrupted) == (("stopped",), True)
    assert worker.ask(60, "echo").values == ("echo",)


def test_unresponsive_worker_is_killed(worker: Worker) -> None:
    worker.ask(None, "echo")
    began = monotonic()
    with pytest.raises(WorkerLateError):
        worker.ask(0.05, "sleep")
    assert monotonic() - began < GRACE_SECONDS + 10
    assert not worker.alive


def test_a_killed_worker_whose_answer_came_too_late_is_dead(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(seconds: float | None) -> Reply:
        worker._channel.recv(1, MSG_PEEK)
        worker.kill()
        raise WorkerLateError

    monkeypatch.setattr(worker, "_reply", too_late)
    with pytest.raises(WorkerLateError):
        worker.ask(60, "echo")
    assert not worker.alive


def test_dead_worker_is_detected(worker: Worker) -> None:
    with pytest.raises(WorkerEndedError):
        worker.ask(60, "die")
    assert not worker.alive
    with pytest.raises(WorkerEndedError):
        worker.ask(60, "echo")


def test_closing_a_worker_is_quiet_when_its_parent_process_has_ended() -> None:
    processes = ForkServer("tests.sandbox.services:main")
    with closing(processes), closing(Worker(processes)) as worker:
        worker.ask(60, "echo")
        assert processes._zygote is not None
        processes._zygote.kill()
        processes._zygote.wait()


async def test_a_request_is_interrupted_once_nobody_waits_for_it(worker: Worker) -> None:
    worker.ask(None, "echo")
    replies: list[Reply] = []
    replied = Event()

    def ask() -> None:
        replies.append(worker.ask(60, "wait"))
        replied.set()

    async def wait_for_it() -> None:
        with cancelling_threads():
            await asyncio.to_thread(ask)

    task = asyncio.create_task(wait_for_it())
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.wait({task})
    assert await asyncio.to_thread(replied.wait, 20)
    assert replies == [Reply(("stopped",), interrupted=True)]
    assert worker.ask(60, "echo").values == ("echo",)
