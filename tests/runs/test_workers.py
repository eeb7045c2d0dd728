"""Processes that share trials: every trial comes back, whatever becomes of a process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.task import Task
from wardround.core.trajectory import Said, Trajectory
from wardround.core.trial import Attempt, FinishedTrial, RunTrial
from wardround.runs.workers import shared


@asynccontextmanager
async def opened() -> AsyncIterator[RunTrial]:
    """Trials that do what their task's id says."""

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        await asyncio.sleep(0.01)
        if task.id == "die":
            os._exit(9)
        if task.id == "mistake":
            raise UserError("the key is wrong")
        said = Trajectory([Said("agent", str(os.getpid()))])
        return FinishedTrial(task, trial, 7, (Attempt(said, Outcome.PASSED),), 0.0)

    yield run


def task(name: str) -> Task[Any, Any]:
    return Task(name, None, None)


async def test_every_trial_comes_back_and_both_processes_work() -> None:
    async with shared(opened, 2) as run:
        finished = await asyncio.gather(*(run(task(f"t{n}"), n) for n in range(40)))
    assert [(f.task.id, f.trial) for f in finished] == [(f"t{n}", n) for n in range(40)]
    pids = {f.attempts[0].trajectory.said_by("agent")[0] for f in finished}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids


async def test_a_process_that_dies_costs_its_own_trials_and_is_replaced() -> None:
    async with shared(opened, 1) as run:
        lost = await run(task("die"), 0)
        after = await run(task("next"), 1)
    assert lost.attempts[0].outcome is Outcome.INFRA_ERROR
    assert "died" in lost.attempts[0].reason
    assert after.attempts[0].outcome is Outcome.PASSED


async def test_a_mistake_in_the_settings_is_told_where_the_run_was_started() -> None:
    async with shared(opened, 1) as run:
        with pytest.raises(UserError, match="the key is wrong"):
            await run(task("mistake"), 0)
