"""Runs the oracle on every task to find golds that their own grader rejects."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from wardround.core.benchmark import Benchmark, GoldDefects, GoldReviewer, Summary, Table
from wardround.core.record import Outcome
from wardround.core.task import Defect, Suite, Task
from wardround.core.trial import FinishedTrial, run_trial
from wardround.runs.components import open_without_models
from wardround.runs.settings import RunSettings

MOST_SAMPLED = 20


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """A table of the golds that pass, and the defects of the others."""

    summary: Summary
    defects: tuple[Defect, ...]


def validate_tasks(settings: RunSettings) -> GoldCheck:
    """Runs the oracle once on every task, in all grading modes.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    benchmark = open_without_models(settings)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        finished = asyncio.run(_oracle_trials(benchmark, suite.tasks, settings))
    finally:
        benchmark.close()
    reviewed = [_reviewed(benchmark, trial) for trial in finished]
    failed = tuple(defect for found in reviewed for defect in found.errors)
    known = by_cause((*suite.known, *(defect for found in reviewed for defect in found.known)))
    defects = by_cause(suite.defects + failed)
    tables = {
        "golds": _golds(finished, reviewed, defects, replace(suite, known=known)),
        "causes": _causes(defects),
        "defects": _defect_table("Defects", defects),
        "known_defects": _defect_table("Known defects", known),
    }
    return GoldCheck(Summary(tables), defects)


def count_passing_golds(settings: RunSettings) -> tuple[int, int]:
    """Counts the golds that pass in a seeded sample of the chosen tasks, and those tried.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    benchmark = open_without_models(settings)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        tasks = {task.id: task for task in suite.tasks}
        # Tasks that do not fit the database were moved to the defects while loading.
        ids = sorted({*tasks, *(defect.where for defect in suite.defects)})
        sample = Random(settings.seed).sample(ids, min(MOST_SAMPLED, len(ids)))
        tasks_to_run = [tasks[id] for id in sample if id in tasks]
        finished = asyncio.run(_oracle_trials(benchmark, tasks_to_run, settings))
    finally:
        benchmark.close()
    reviewed = [_reviewed(benchmark, trial) for trial in finished]
    return sum(found.none for found in reviewed), len(sample)


async def _oracle_trials(
    benchmark: Benchmark, tasks: Sequence[Task[Any, Any]], settings: RunSettings
) -> list[FinishedTrial]:
    return [
        await run_trial(
            benchmark,
            benchmark.oracle(task),
            task,
            0,
            run_seed=settings.seed,
            limits=settings.limits,
            attempts=1,
        )
        for task in tasks
    ]


def by_cause(defects: Sequence[Defect]) -> tuple[Defect, ...]:
    """The defects grouped by cause, most common cause first."""
    causes = [cause for cause, _ in Counter(defect.cause for defect in defects).most_common()]
    return tuple(sorted(defects, key=lambda defect: causes.index(defect.cause)))


def _reviewed(benchmark: Benchmark, trial: FinishedTrial) -> GoldDefects:
    """The faults that a trial shows; all are errors unless the benchmark tells them apart."""
    failure = "" if _passes(trial) else _failure(trial)
    if isinstance(benchmark, GoldReviewer):
        return benchmark.gold_defects(trial.task, trial.last.outcome or Outcome.UNSCORED, failure)
    return GoldDefects(errors=(Defect(trial.task.id, failure),) if failure else ())


def _passes(trial: FinishedTrial) -> bool:
    rewards = trial.attempts[-1].rewards or {}
    return bool(rewards) and min(rewards.values()) == 1


def _failure(trial: FinishedTrial) -> str:
    last = trial.attempts[-1]
    failed = [mode for mode, reward in (last.rewards or {}).items() if reward < 1]
    how = f"fails the {' and '.join(failed)} grader" if failed else f"ends {last.outcome}"
    return f"its gold {how}" + (f": {last.reason}" if last.reason else "; fix the task.")


def _defect_table(title: str, defects: Sequence[Defect]) -> Table:
    return Table(title, ("where", "reason"), tuple((d.where, d.reason) for d in defects))


def _causes(defects: Sequence[Defect]) -> Table:
    counted = Counter(defect.cause for defect in defects)
    return Table("Defects by cause", ("cause", "tasks"), tuple(counted.most_common()))


def _golds(
    finished: Sequence[FinishedTrial],
    reviewed: Sequence[GoldDefects],
    defects: Sequence[Defect],
    suite: Suite,
) -> Table:
    pairs = zip(finished, reviewed, strict=True)
    passed = Counter(_group(trial) for trial, found in pairs if found.none)
    tried = Counter(map(_group, finished))
    rows = [(group, count, passed[group]) for group, count in sorted(tried.items())]
    total = ("all", len(finished), sum(passed.values()))
    return Table(
        f"Golds of {suite.source}",
        ("group", "tasks", "gold passes"),
        (*rows, total),
        note=f"{len(defects)} defects, {len(suite.known)} known ones aside",
    )


def _group(trial: FinishedTrial) -> str:
    """The task's first label, by which its benchmark groups."""
    return next(iter(trial.task.labels.values()), "")
