"""Trials that are played, judged and scored in memory."""

from typing import Any

from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.limits import Limits
from wardround.core.session import TrialSession
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial


async def run_trial(
    benchmark: Benchmark,
    make_agent: AgentMaker,
    task: Task[Any, Any],
    trial: int,
    *,
    run_seed: int = 0,
    limits: Limits | None = None,
    attempts: int = 3,
    grading: str = "",
) -> FinishedTrial:
    """Plays, judges and scores a trial."""
    session = TrialSession(
        benchmark, task, trial, run_seed=run_seed, limits=limits, attempts=attempts
    )
    async with session:
        while not session.is_over:
            await session.play(make_agent)
        return await session.finish(grading)
