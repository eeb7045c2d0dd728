"""Replays a recorded trial on its database and compares the tools' results."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.core.actions import Action, Observation
from wardround.core.benchmark import Benchmark, TrialContext
from wardround.core.errors import AgentError, UserError
from wardround.core.loop import Turns, converse
from wardround.core.run_reader import find_trial, read_trajectory, read_trials
from wardround.core.task import Chosen, Task
from wardround.core.trajectory import Returned, Trajectory
from wardround.runs.components import open_without_models
from wardround.runs.open_run import settings_of


@dataclass(frozen=True, slots=True)
class Replayed:
    """Counts of compared and equal tool results, with a line for each difference."""

    compared: int
    same: int
    differences: tuple[str, ...]


def replay_trial(folder: Path, name: str) -> Replayed:
    """Repeats the actions of a trial; its people repeat their messages.

    Raises:
        UserError: the run, the trial or its task is missing.
    """
    settings = settings_of(folder)
    record = find_trial(folder, name)
    recorded = read_trajectory(folder, record.trajectory)
    benchmark = open_without_models(settings)
    try:
        tasks = {
            task.id: task for task in benchmark.load(settings.tasks, Chosen((record.task,))).tasks
        }
        if record.task not in tasks:
            raise UserError(f"Task {record.task} is not among the run's tasks any more.")
        context = TrialContext(record.seed, settings.limits, Trajectory(), recorded=recorded)
        again = asyncio.run(_again(benchmark, tasks[record.task], context, recorded))
    finally:
        benchmark.close()
    return compare(recorded, again)


def replayable(folder: Path) -> str:
    """A sentence on which trials of a run have tool results to compare.

    Raises:
        UserError: the folder is not a run.
    """
    settings_of(folder)
    # Trials end in another order each time.
    records = sorted(read_trials(folder), key=lambda record: record.key)
    names = [
        f"{record.task}:{record.trial}"
        for record in records
        if tool_results(read_trajectory(folder, record.trajectory))
    ]
    some = f"; name one of them, such as {', '.join(names[:3])}" if names else ""
    return f"{len(names)} of {len(records)} trials have tool results to replay{some}."


async def _again(
    benchmark: Benchmark, task: Task[Any, Any], context: TrialContext, recorded: Trajectory
) -> Trajectory:
    environment = await benchmark.environment(task, context)
    try:
        await converse(
            ReplayAgent(recorded), Turns(environment, context.trajectory, context.limits)
        )
    finally:
        await environment.close()
    return context.trajectory


def compare(recorded: Trajectory, again: Trajectory) -> Replayed:
    """Compares the tool results of two trajectories, in order."""
    before, after = tool_results(recorded), tool_results(again)
    pairs = list(zip(before, after, strict=False))
    differences = [
        f"result {number}, {was.tool}: it gave {len(was.text)} characters then and "
        f"{len(now.text)} now, and they differ"
        for number, (was, now) in enumerate(pairs, start=1)
        if was != now
    ]
    if len(before) != len(after):
        differences.append(f"there were {len(before)} results then and {len(after)} now")
    return Replayed(
        max(len(before), len(after)), len(pairs) - sum(a != b for a, b in pairs), tuple(differences)
    )


class ReplayAgent:
    """Repeats the recorded actions regardless of what it observes."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._actions: Iterator[Action] = trajectory.actions()

    async def act(self, observation: Observation) -> Action:
        """The next recorded action.

        Raises:
            AgentError: there are no more recorded actions.
        """
        action = next(self._actions, None)
        if action is None:
            raise AgentError("the recorded agent did no more")
        return action


def tool_results(trajectory: Trajectory) -> list[Returned]:
    """The results of tool calls, in order."""
    return [event for event in trajectory.events if isinstance(event, Returned)]
