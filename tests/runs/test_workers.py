"""Worker processes: every trial returns, even if a process dies."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.task import Task
from wardround.core.trajectory import Requested, Said, Trajectory
from wardround.core.trial import Attempt, FinishedTrial, VerdictListener
from wardround.core.verdict import Verdict
from wardround.runs.trials import Trials
from wardround.runs.workers import shared

SEED = 3


class Scripted:
    """Trials whose behaviour is named by their task's id."""

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        await asyncio.sleep(0.01)
        if task.id == "die":
            os._exit(9)
        if task.id == "mistake":
            raise UserError("the key is wrong")
        trajectory = Trajectory([Said("agent", str(os.getpid()))])
        return FinishedTrial(task, trial, 7, (Attempt(trajectory),), 0.0)

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        for number in range(len(known), 3):
            if trial.task.id == "die in judging" and number == 2:
                os._exit(9)
            on_verdict(Verdict(f"leaf {number}", "model:judge", "passed"), [REQUEST])
        return "it broke" if trial.task.id == "broken" else ""


REQUEST = Requested("judge", "scripted", 10, 2, 0.5, 0.0)


@asynccontextmanager
async def opened() -> AsyncIterator[Trials]:
    yield Scripted()


def task(name: str) -> Task[Any, Any]:
    return Task(name, None, None)


async def test_every_trial_returns_and_both_processes_work() -> None:
    async with shared(opened, 2, SEED) as trials:
        finished = await asyncio.gather(*(trials.play(task(f"t{n}"), n) for n in range(40)))
    assert [(f.task.id, f.trial) for f in finished] == [(f"t{n}", n) for n in range(40)]
    pids = {f.attempts[0].trajectory.said_by("agent")[0] for f in finished}
    assert len(pids) == 2
    assert str(os.getpid()) not in pids


async def test_dead_process_loses_only_its_trials_and_is_replaced() -> None:
    async with shared(opened, 1, SEED) as trials:
        lost = await trials.play(task("die"), 0)
        after = await trials.play(task("next"), 1)
    assert lost.attempts[0].outcome is Outcome.INFRA_ERROR
    assert "died" in lost.attempts[0].reason
    assert lost.seed == derive_seed(SEED, "die", 0)  # as if it had been played
    assert after.attempts[0].outcome is None


async def test_wrong_settings_are_raised_in_the_parent_process() -> None:
    async with shared(opened, 1, SEED) as trials:
        with pytest.raises(UserError, match="the key is wrong"):
            await trials.play(task("mistake"), 0)


def played(name: str) -> FinishedTrial:
    return FinishedTrial(task(name), 0, 7, (Attempt(Trajectory()),), 0.0)


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("whole", 2, ""),
        ("broken", 2, "it broke"),
        ("die in judging", 1, "judging failed: the process that judged it died"),
    ],
)
async def test_workers_send_verdicts_one_by_one(name: str, given: int, problem: str) -> None:
    received: list[tuple[Verdict, Sequence[Requested]]] = []
    earlier = [Verdict("leaf 0", "model:judge", "passed")]
    async with shared(opened, 1, SEED) as trials:
        result = await trials.judge(played(name), earlier, lambda *each: received.append(each))
    assert result == problem
    assert [verdict.item for verdict, _ in received] == [f"leaf {n}" for n in range(1, 1 + given)]
    assert all(list(requests) == [REQUEST] for _, requests in received)
