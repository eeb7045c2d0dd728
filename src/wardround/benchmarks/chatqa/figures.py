"""EHR-ChatQA's Figure 3: success by trials, by user interactions, and within a task."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from wardround.benchmarks.kit.tables import Groups, Trials, by_task, percent, succeeded, tallies
from wardround.core.figures import Curve
from wardround.core.record import TrialRecord
from wardround.scoring.reliability import Reliability, reliabilities
from wardround.scoring.statistics import centred, correlation

GRADINGS = ("paper", "strict")
Points = tuple[tuple[float, float], ...]

_METRICS: dict[str, Callable[[Reliability], float]] = {
    "Pass@k": lambda task: task.pass_at,
    "Pass^k": lambda task: task.pass_hat,
    "Gap-k": lambda task: task.gap,
}


def figure_3a(name: str, trials: Trials, grading: str, most: int) -> Curve:
    """Pass@k, Pass^k and Gap-k for k from 1 to the trials run (paper, Figure 3a)."""
    tasks = tallies(trials, grading)
    by_k = [(k, found) for k in range(1, most + 1) if (found := reliabilities(tasks, k))]
    lines = {
        metric: tuple((float(k), percent(fmean(map(value, found)))) for k, found in by_k)
        for metric, value in _METRICS.items()
    }
    return Curve(f"{name}, {grading} grading", "k (trials)", "tasks, %", lines)


def figure_3b(flows: Groups, k: int) -> Curve:
    """SR-k and Gap-k of tasks by their mean number of user interactions (paper, Figure 3b)."""
    lines: dict[str, Points] = {}
    for name, trials in flows.items():
        figures = _by_turns(trials, k)
        lines[f"{name} SR-{k}"] = _means(figures, lambda task: task.success_rate)
        lines[f"{name} Gap-{k}"] = _means(figures, lambda task: task.gap)
    title = "By user interactions of the task, paper grading"
    return Curve(title, "user interactions (task's mean)", "%", lines)


def figure_3c(flows: Groups) -> Curve:
    """Success of trials by how many user interactions they had beyond the task's mean.

    Only tasks with successes and failures alike are shown: no other task can tell what more
    interactions do within a task (paper, Figure 3c).
    """
    lines = {name: _success_by_difference(mixed_tasks(t, "paper")) for name, t in flows.items()}
    title = "By user interactions within a task, paper grading"
    return Curve(
        title, "user interactions, difference from the task's mean", "trials passed, %", lines
    )


def mixed_tasks(trials: Trials, grading: str) -> list[list[TrialRecord]]:
    """The scored trials of the tasks that some trials succeeded at and some did not."""
    scored = by_task(trial for trial in trials if trial.outcome.scored)
    return [group for group in scored.values() if len({succeeded(t, grading) for t in group}) > 1]


def within_task_correlation(tasks: Iterable[Trials], grading: str) -> float | None:
    """Correlation of success with user interactions, differences between tasks taken out."""
    turns: list[float] = []
    success: list[float] = []
    for trials in tasks:
        turns += centred([_turns(trial) for trial in trials])
        success += centred([float(succeeded(trial, grading)) for trial in trials])
    found = correlation(turns, success)
    return None if found is None else round(found, 3)


def task_turns(trials: Trials) -> int | None:
    """A task's user interactions: the mean over its scored trials, rounded; None without any."""
    scored = [_turns(trial) for trial in trials if trial.outcome.scored]
    return round(fmean(scored)) if scored else None


def _turns(trial: TrialRecord) -> int:
    return trial.counts.get("user_turns", 0)


def _by_turns(trials: Trials, k: int) -> dict[int, list[Reliability]]:
    """The figures at k of the tasks, by their user interactions in rising order."""
    groups = defaultdict[int, list[Reliability]](list)
    for task in by_task(trials).values():
        turns = task_turns(task)
        if turns is not None:
            groups[turns] += reliabilities(tallies(task, "paper"), k)
    return {turns: groups[turns] for turns in sorted(groups) if groups[turns]}


def _means(figures: dict[int, list[Reliability]], value: Callable[[Reliability], float]) -> Points:
    return tuple((float(x), percent(fmean(map(value, tasks)))) for x, tasks in figures.items())


def _success_by_difference(tasks: Sequence[Trials]) -> Points:
    groups = defaultdict[int, list[bool]](list)
    for trials in tasks:
        differences = centred([_turns(trial) for trial in trials])
        for difference, trial in zip(differences, trials, strict=True):
            groups[round(difference)].append(succeeded(trial, "paper"))
    return tuple((float(x), percent(fmean(groups[x]))) for x in sorted(groups))
