"""Verdicts on the submissions of a trial, which the environment has graded while it ran."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from dataclasses import dataclass

from wardround.benchmarks.interact.declaration import MODES
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.interact.trial_state import TrialState, submission_key
from wardround.benchmarks.kit.submissions import submitted
from wardround.core.benchmark import JudgeContext
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Graders:
    """The state of a trial at its beginning, which grades submissions."""

    open_state: Callable[[InteractTask], TrialState]


async def verdicts(
    task: InteractTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Grades the submissions again, unless all their verdicts are known."""
    submissions = list(submitted(trajectory))
    keys = (submission_key(task.hidden, each, mode) for each in submissions for mode in MODES)
    if all(map(context.has, keys)):
        return
    with closing(await to_thread(graders.open_state, task)) as state:
        for each in submissions:
            for verdict in (await to_thread(state.grade, each)).verdicts:
                yield verdict
