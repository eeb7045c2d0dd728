"""Grades the trajectories of a run again, with today's grader and tasks, and keeps the result."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wardround.core.benchmark import Benchmark
from wardround.core.record import Outcome, TrialRecord
from wardround.core.store import RunWriter, read_trajectory, read_trials, rewrite_trials
from wardround.core.task import Task
from wardround.core.trial import Attempt, FinishedTrial, judge_trial, score_trial
from wardround.core.verdict import Verdict
from wardround.runs.components import open_without_models
from wardround.runs.run import settings_of

_GRADER = ("grading", "judging")
KEPT = (Outcome.USER_ERROR, Outcome.INFRA_ERROR)


@dataclass(frozen=True, slots=True)
class Rescored:
    """How many trials were graded again, and a line for each that changed or could not be."""

    scored: int
    changed: tuple[str, ...]
    kept: tuple[str, ...]


def rescore(folder: Path) -> Rescored:
    """Grades every trial that was graded before, or should have been, and rewrites the records.

    Trials that never counted (`user_error`, `infra_error`) and those that the validator left
    undecided keep their outcome: no grader can change it.

    Raises:
        UserError: the folder is no run, is being written to, or its database is gone.
    """
    settings = settings_of(folder)
    benchmark = open_without_models(settings)
    try:
        tasks = {
            task.id: task for task in benchmark.load(settings.tasks, settings.tasks_chosen).tasks
        }
        with RunWriter(folder):
            before = read_trials(folder)
            after = [
                _again(benchmark, tasks, folder, record, settings.deciding) for record in before
            ]
            rewrite_trials(folder, after)
    finally:
        benchmark.close()
    pairs = zip(before, after, strict=True)
    changed = tuple(_change(was, now) for was, now in pairs if was.scores != now.scores)
    gone = [record for record in after if record.task not in tasks]
    kept = tuple(f"{r.task}:{r.trial} kept its grade: its task is gone or broken" for r in gone)
    scored = sum(record.outcome.scored for record in after if record.task in tasks)
    return Rescored(scored, changed, kept)


def _again(
    benchmark: Benchmark,
    tasks: dict[str, Task[Any, Any]],
    folder: Path,
    record: TrialRecord,
    grading: str,
) -> TrialRecord:
    undecided = record.outcome is Outcome.UNSCORED and not record.reason.startswith(_GRADER)
    if record.outcome in KEPT or undecided or record.task not in tasks:
        return record
    trajectory = read_trajectory(folder, record.trajectory)
    task = tasks[record.task]
    played = Attempt(trajectory, ending=record.ending)
    trial = FinishedTrial(task, record.trial, record.seed, (played,), record.seconds)
    found: list[Verdict] = []
    problem = asyncio.run(judge_trial(benchmark, trial, (), found.append))
    attempt = score_trial(benchmark.score, trial, found, grading, problem).last
    return replace(
        record,
        outcome=attempt.outcome or Outcome.UNSCORED,
        reason=attempt.reason,
        scores=attempt.rewards or {},
        measures=attempt.measures or {},
    )


def _change(was: TrialRecord, now: TrialRecord) -> str:
    return f"{now.task}:{now.trial} was {was.outcome} {was.scores}, is {now.outcome} {now.scores}"
