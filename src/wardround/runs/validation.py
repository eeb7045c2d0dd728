"""Lets the oracle do every task: a gold that its own grader rejects is found before any run."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wardround.core.benchmark import Benchmark, Summary, Table
from wardround.core.task import Defect, Suite, Task
from wardround.core.trial import FinishedTrial, run_trial
from wardround.runs.components import open_without_models
from wardround.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many tasks pass, and what is wrong with the others."""

    summary: Summary
    defects: tuple[Defect, ...]


def validate_tasks(settings: RunSettings) -> Verdict:
    """Runs the oracle once over every task, in all grading modes.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    benchmark = open_without_models(settings)
    try:
        suite = benchmark.load(settings.tasks, settings.tasks_chosen)
        finished = asyncio.run(_all(benchmark, suite.tasks, settings))
    finally:
        benchmark.close()
    failed = tuple(
        Defect(trial.task.id, _failure(trial)) for trial in finished if not _passes(trial)
    )
    defects = suite.defects + failed
    tables = {
        "golds": _table(finished, defects, suite),
        "defects": _listed("Defects", defects),
        "known_defects": _listed("Known defects", suite.known),
    }
    return Verdict(Summary(tables), defects)


async def _all(
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


def _passes(trial: FinishedTrial) -> bool:
    rewards = trial.attempts[-1].rewards or {}
    return bool(rewards) and min(rewards.values()) == 1


def _failure(trial: FinishedTrial) -> str:
    last = trial.attempts[-1]
    failed = [mode for mode, reward in (last.rewards or {}).items() if reward < 1]
    how = f"fails the {' and '.join(failed)} grader" if failed else f"ends {last.outcome}"
    return f"its gold {how}" + (f" ({last.reason})" if last.reason else "") + "; mend the task."


def _listed(title: str, defects: Sequence[Defect]) -> Table:
    return Table(title, ("where", "reason"), tuple((d.where, d.reason) for d in defects))


def _table(finished: Sequence[FinishedTrial], defects: Sequence[Defect], suite: Suite) -> Table:
    passed = Counter(_group(trial) for trial in finished if _passes(trial))
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
    """A task's first label, by which its benchmark groups first of all."""
    return next(iter(trial.task.labels.values()), "")
