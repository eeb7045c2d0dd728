"""Runs the oracle on every task to find golds that their own grader rejects."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from wardround.core.benchmark import Benchmark, Summary, Table
from wardround.core.capabilities import GoldDefects, GoldReviewer
from wardround.core.record import Outcome
from wardround.core.task import Defect, Suite, Task
from wardround.core.trial import FinishedTrial
from wardround.runs.components import open_without_models
from wardround.runs.rehearsal import environments, in_grading, rehearse
from wardround.runs.settings import RunSettings

MOST_SAMPLED = 20


@dataclass(frozen=True, slots=True)
class GoldCheck:
    """A table of the golds that pass, and the defects of the others."""

    summary: Summary
    defects: tuple[Defect, ...]


@dataclass(frozen=True, slots=True)
class GoldTrial:
    """The oracle's trial at a task, scored as a run scores it.

    Attributes:
        scored: the trial with its outcome, by grading.
        faults: the faults of the gold that the trial shows.
    """

    scored: Mapping[str, FinishedTrial]
    faults: GoldDefects

    @property
    def task(self) -> Task[Any, Any]:
        """The task."""
        return next(iter(self.scored.values())).task

    @property
    def passes(self) -> bool:
        """True if it passes in all its gradings."""
        return all(each.last.outcome is Outcome.PASSED for each in self.scored.values())

    @property
    def undecided(self) -> bool:
        """True if it fails in no grading, and undecided verdicts keep it from passing in one."""
        left = [t for t in self.scored.values() if t.last.outcome is not Outcome.PASSED]
        return bool(left) and all(map(_is_undecided, left))


def validate_tasks(settings: RunSettings, grading: str = "") -> GoldCheck:
    """Runs the oracle on every task, once for each environment that the gradings have.

    Golds need no person or judge, so no model is asked, even if a run's roles have models.

    Args:
        settings: the settings of a run.
        grading: the grading in which golds have to pass; all by default.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    settings = settings.without_models()
    trials: list[GoldTrial] = []
    for environment, names in environments(settings.declaration, grading).items():
        suite, played = _validated(in_grading(settings, environment), names)
        trials += played
    failed = tuple(dict.fromkeys(defect for each in trials for defect in each.faults.errors))
    faults = tuple(dict.fromkeys(defect for each in trials for defect in each.faults.known))
    known, defects = by_cause((*suite.known, *faults)), by_cause(suite.defects + failed)
    tables = {
        "golds": _golds(trials, defects, replace(suite, known=known)),
        "causes": _causes(defects),
        "defects": _defect_table("Defects", defects),
        "known_defects": _defect_table("Known defects", known),
    }
    return GoldCheck(Summary(tables), defects)


def count_passing_golds(settings: RunSettings) -> tuple[int, int]:
    """Counts the golds that pass in a seeded sample of the chosen tasks, and those tried.

    No model is asked, as in `validate_tasks`.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    settings = settings.without_models()
    [names] = environments(settings.declaration, settings.grading).values()
    benchmark = open_without_models(settings)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        tasks = {task.id: task for task in suite.tasks}
        # Tasks that do not fit the database were moved to the defects while loading.
        ids = sorted({*tasks, *(defect.where for defect in suite.defects)})
        sample = Random(settings.seed).sample(ids, min(MOST_SAMPLED, len(ids)))
        tasks_to_run = [tasks[id] for id in sample if id in tasks]
        trials = asyncio.run(_gold_trials(benchmark, tasks_to_run, settings, names))
    finally:
        benchmark.close()
    return sum(each.passes for each in trials), len(sample)


def by_cause(defects: Sequence[Defect]) -> tuple[Defect, ...]:
    """The defects grouped by cause, most common cause first."""
    causes = [cause for cause, _ in Counter(defect.cause for defect in defects).most_common()]
    return tuple(sorted(defects, key=lambda defect: causes.index(defect.cause)))


def _validated(settings: RunSettings, gradings: Sequence[str]) -> tuple[Suite, list[GoldTrial]]:
    """The suite as it is loaded, and the oracle's trials at all its tasks."""
    benchmark = open_without_models(settings)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        return suite, asyncio.run(_gold_trials(benchmark, suite.tasks, settings, gradings))
    finally:
        benchmark.close()


async def _gold_trials(
    benchmark: Benchmark,
    tasks: Sequence[Task[Any, Any]],
    settings: RunSettings,
    gradings: Sequence[str],
) -> list[GoldTrial]:
    return [await _gold_trial(benchmark, task, settings, gradings) for task in tasks]


async def _gold_trial(
    benchmark: Benchmark, task: Task[Any, Any], settings: RunSettings, gradings: Sequence[str]
) -> GoldTrial:
    """Plays and judges a gold once, by the functions of a run, and scores it in each grading."""
    scored = await rehearse(benchmark, benchmark.oracle(task), task, settings, gradings)
    return GoldTrial(scored, await asyncio.to_thread(_faults, benchmark, scored))


def _faults(benchmark: Benchmark, scored: Mapping[str, FinishedTrial]) -> GoldDefects:
    """The faults that a trial shows; all are errors unless the benchmark tells them apart."""
    open_trials = {
        name: trial for name, trial in scored.items() if trial.last.outcome is not Outcome.PASSED
    }
    failure = _failure(open_trials) if open_trials else ""
    trial = next(iter((open_trials or scored).values()))
    if isinstance(benchmark, GoldReviewer):
        return benchmark.gold_defects(trial, failure)
    failed = failure and not all(map(_is_undecided, open_trials.values()))
    return GoldDefects(errors=(Defect(trial.task.id, failure),) if failed else ())


def _failure(trials: Mapping[str, FinishedTrial]) -> str:
    """The reasons why trials do not pass in their gradings."""
    failed = {name: t for name, t in trials.items() if t.last.outcome is Outcome.FAILED}
    last = next(iter((failed or trials).values())).last
    how = f"fails the {' and '.join(failed)} grader" if failed else f"ends {last.outcome}"
    return f"its gold {how}" + (f": {last.reason}" if last.reason else "; fix the task.")


def _is_undecided(trial: FinishedTrial) -> bool:
    """True for a trial that was scored, and that undecided verdicts could still decide."""
    return trial.last.outcome is Outcome.UNSCORED and trial.last.measures is not None


def _defect_table(title: str, defects: Sequence[Defect]) -> Table:
    return Table(title, ("where", "reason"), tuple((d.where, d.reason) for d in defects))


def _causes(defects: Sequence[Defect]) -> Table:
    counted = Counter(defect.cause for defect in defects)
    return Table("Defects by cause", ("cause", "tasks"), tuple(counted.most_common()))


def _golds(trials: Sequence[GoldTrial], defects: Sequence[Defect], suite: Suite) -> Table:
    """The golds that pass in all gradings, by the task's first label and in all."""
    by_task: dict[str, list[GoldTrial]] = {}
    for each in trials:
        by_task.setdefault(each.task.id, []).append(each)
    tried = Counter(_group(each[0]) for each in by_task.values())
    passed = Counter(
        _group(each[0]) for each in by_task.values() if all(trial.passes for trial in each)
    )
    undecided = sum(
        any(trial.undecided for trial in each)
        and all(trial.passes or trial.undecided for trial in each)
        for each in by_task.values()
    )
    rows = [(group, count, passed[group]) for group, count in sorted(tried.items()) if group]
    all_passed, all_tasks = passed.total(), len(by_task) + _not_played(defects, by_task)
    share = f"{all_passed / all_tasks:.0%}" if all_tasks else "none"
    note = (
        f"{all_passed} of {all_tasks} golds ({share}) hold here; "
        f"{len(defects)} defects, {len(suite.known)} known ones aside"
    )
    return Table(
        f"Golds of {suite.source}",
        ("group", "tasks", "gold passes"),
        (*rows, ("all", len(by_task), passed.total())),
        note=note + (f"; {undecided} golds undecided." if undecided else "."),
    )


def _not_played(defects: Sequence[Defect], played: Mapping[str, object]) -> int:
    """The number of tasks that were left out before their golds were tried."""
    return len({defect.where for defect in defects} - played.keys())


def _group(trial: GoldTrial) -> str:
    """The task's first label, by which its benchmark groups."""
    return next(iter(trial.task.labels.values()), "")
