"""Two processes that answer: conversations stay with one, and one that dies is started again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from socket import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.assistant.worker_here import fixed_wards, start_here, worker_here
from tests.hospitals import hospital_file
from wardround.apps.command_line.serve import chosen_serving
from wardround.assistant import worker_handle, worker_pool
from wardround.assistant.open_assistant import Opened, opened_assistant
from wardround.assistant.users import LOCAL
from wardround.assistant.worker import Worker
from wardround.assistant.worker_handle import WorkerHandle
from wardround.assistant.worker_pool import WorkerPool
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_trials

QUESTION = "How many patients are female?"


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Opened]:
    """An agent without a model that two processes hold."""
    database = hospital_file("mimic_iv_star", 12, ending="sqlite")
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None}, {"agent": "parser"}
    )
    async with opened_assistant(serving, folder, {}, processes=2) as opened:
        yield opened


async def test_a_process_that_dies_ends_its_answers_and_is_started_again(tmp_path: Path) -> None:
    async with served(tmp_path) as opened:
        ask = opened.assistant.ask
        first, second = await ask(LOCAL, QUESTION), await ask(LOCAL, QUESTION)
        assert first.answer.text == second.answer.text
        stopped, other = (child.pid or 0 for child in active_children())
        os.kill(stopped, signal.SIGSTOP)
        asking = [
            asyncio.create_task(ask(LOCAL, QUESTION, each.conversation)) for each in (first, second)
        ]
        done, waiting = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        assert (len(done), len(waiting)) == (1, 1)
        assert not done.pop().result().answer.problem
        os.kill(stopped, signal.SIGKILL)
        lost = await waiting.pop()
        assert lost.answer.problem.startswith("The answer broke off, since the process")
        assert lost.answer.is_over
        assert lost.number == 1
        # Without the other one, only a new process can answer.
        os.kill(other, signal.SIGKILL)
        again = await ask(LOCAL, QUESTION)
        if again.answer.problem:  # the server had not noticed yet
            again = await ask(LOCAL, QUESTION)
        assert again.answer.text == first.answer.text
        called = await opened.tools.run_query(LOCAL, "SELECT 1")
        assert not isinstance(called, str)
    trials = read_trials(tmp_path / "001")
    answered = [trial.key for trial in trials if trial.outcome != "infra_error"]
    assert (first.conversation, 0) in answered
    assert (again.conversation, 0) in answered
    assert (lost.conversation, 1) in {trial.key for trial in trials} - set(answered)
    check = check_run(tmp_path / "001")
    assert check.sealed
    assert not check.mismatches


async def test_an_agent_that_cannot_be_opened_is_said_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorkerHandle, "start", start_here)
    database = hospital_file("mimic_iv_star", 12, ending="sqlite")
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None},
        {"agent": "nothing_such:agents"},
    )
    with pytest.raises(UserError, match="nothing_such"):
        async with opened_assistant(serving, tmp_path, {}, processes=2):
            pass


async def test_a_process_that_cannot_be_started_again_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_pool, "_PAUSE", 0.0)
    open_wards: Any = SimpleNamespace(open=_done, close=_done, close_all=_done)
    started = list[WorkerHandle]()
    problems: list[Exception] = [OSError(11, "no more processes"), UserError("no database")]

    async def start() -> WorkerHandle:
        if started and problems:
            raise problems.pop()
        started.append(await worker_here(Worker(open_wards, Limits())))
        return started[-1]

    processes = WorkerPool(start, 1, print)
    async with processes.running():
        await processes.open(0, "nowhere")
        assert await processes.idlest(0) is started[0]
        started[0].kill()
        await started[0].ended.wait()
        assert await processes.idlest(0) is started[1]
    assert problems == []


async def _done(*arguments: object) -> None:
    """Does nothing."""


async def test_an_answering_process_may_start_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As it does to train an agent.
    monkeypatch.setattr(worker_handle, "run", _starts_another)
    process = await WorkerHandle.start(cast("Any", None), tmp_path, Limits())
    await process.ended.wait()
    assert await process.close() == 0
    assert (tmp_path / "done").exists()


def _starts_another(end: socket, settings: Any, folder: Path, limits: Limits) -> None:
    other = get_context("spawn").Process(target=(folder / "done").touch)
    other.start()
    other.join()


async def test_processes_that_do_not_stay_are_said_at_the_start() -> None:
    async def dying() -> WorkerHandle:
        process = await worker_here(Worker(fixed_wards({}), Limits()))
        process.kill()
        return process

    processes = WorkerPool(dying, 2, print)
    with pytest.raises(UserError, match="No answering process stays open"):
        async with processes.running():
            await processes.open(0, "nowhere")
