"""EHR-ChatQA's results: the paper's Table 3 and Figure 3, and what else tells agents apart."""

import re
from collections.abc import Callable
from statistics import fmean

from wardround.benchmarks.chatqa.figures import (
    GRADINGS,
    figure_3a,
    figure_3b,
    figure_3c,
    mixed_tasks,
    task_turns,
    within_task_correlation,
)
from wardround.benchmarks.kit.tables import (
    Cell,
    Groups,
    Trials,
    by_task,
    cost_table,
    fewest_trials,
    outcome_table,
    reliability_cells,
    reliability_columns,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.core.record import TrialRecord

FLOWS = {"incre": "IncreQA", "adapt": "AdaptQA"}
ALL = "all"


def summarize(trials: Trials) -> Summary:
    """The results of a run (paper, 5.2), in percent, each figure in both grading modes.

    k is the number of trials that every task has, however they ended.
    """
    k = fewest_trials(trials)
    flows = flow_groups(trials)
    tables = {
        "table_3": _table_3(flows, k),
        "outcomes": outcome_table(flows, "Flow"),
        "by_k": _by_k(flows, k),
        "breakdown": _breakdown(trials, k),
        "interactions": _interactions(flows),
        "within_task": _within_task(flows),
        "cost": cost_table(flows, "Flow"),
    }
    return Summary(tables, _curves({name: flows[name] for name in flows if name != ALL}, k))


def flow_groups(trials: Trials) -> dict[str, list[TrialRecord]]:
    """The trials of each flow that occurs, and of all flows where there is more than one."""
    groups = {
        name: [trial for trial in trials if trial.labels.get("flow") == flow]
        for flow, name in FLOWS.items()
    }
    groups = {name: group for name, group in groups.items() if group}
    return groups if len(groups) == 1 else {**groups, ALL: list(trials)}


def _table_3(flows: Groups, k: int) -> Table:
    rows = [
        (name, grading, *reliability_cells(trials, grading, k))
        for name, trials in flows.items()
        for grading in GRADINGS
    ]
    return Table(
        f"Results over {k} trials a task",
        ("Flow", "Grading", *reliability_columns(k)),
        tuple(rows),
        f"Percent, with 95% bootstrap intervals over tasks; an interval without width means that "
        f"the tasks came out alike, not that the figure is certain. Tasks with fewer than {k} "
        "scored trials are left out.",
    )


def _by_k(flows: Groups, most: int) -> Table:
    rows = [
        (name, grading, k, *reliability_cells(trials, grading, k))
        for name, trials in flows.items()
        for grading in GRADINGS
        for k in range(1, most + 1)
    ]
    columns = ("Flow", "Grading", "k", *reliability_columns("k"))
    return Table("Results by number of trials", columns, tuple(rows), "Percent, as above.")


def _breakdown(trials: Trials, k: int) -> Table:
    rows = [
        (dimension, value, grading, *reliability_cells(group, grading, k))
        for dimension, label in _DIMENSIONS.items()
        for value, group in _split(trials, label).items()
        for grading in GRADINGS
    ]
    columns = ("Group", "Value", "Grading", *reliability_columns(k))
    note = "Percent, as above. User turns are the mean over a task's scored trials."
    return Table("Results by group", columns, tuple(rows), note)


def _interactions(flows: Groups) -> Table:
    columns = "Scored trials,User interactions,Tool interactions,Agent actions,Seconds"
    rows: list[tuple[Cell, ...]] = [
        (name, len(scored), *_mean_counts(scored))
        for name, trials in flows.items()
        if (scored := [trial for trial in trials if trial.outcome.scored])
    ]
    return Table(
        "Interactions per trial",
        ("Flow", *columns.split(",")),
        tuple(rows),
        "Means over scored trials.",
    )


def _mean_counts(scored: Trials) -> tuple[float, ...]:
    counted = ("user_turns", "tool_calls", "actions")
    means = [fmean(trial.counts.get(name, 0) for trial in scored) for name in counted]
    return (*(round(mean, 1) for mean in means), round(fmean(t.seconds for t in scored), 1))


def _within_task(flows: Groups) -> Table:
    rows = []
    for name, trials in flows.items():
        for grading in GRADINGS:
            tasks = mixed_tasks(trials, grading)
            counts = (len(tasks), sum(map(len, tasks)))
            rows.append((name, grading, *counts, within_task_correlation(tasks, grading)))
    return Table(
        "Success and user interactions within a task",
        ("Flow", "Grading", "Tasks", "Trials", "Correlation"),
        tuple(rows),
        "Correlation of a trial's success with its number of user interactions, both as "
        "differences from the task's mean, over tasks with successes and failures alike.",
    )


def _curves(flows: Groups, k: int) -> dict[str, Curve]:
    by_k = {
        f"figure_3a_{name.lower()}_{grading}": figure_3a(name, trials, grading, k)
        for name, trials in flows.items()
        for grading in GRADINGS
    }
    return {**by_k, "figure_3b": figure_3b(flows, k), "figure_3c": figure_3c(flows)}


def _turn_band(trials: Trials) -> str | None:
    turns = task_turns(trials)
    return None if turns is None else f"{turns // 2 * 2}-{turns // 2 * 2 + 1}"


def _label(name: str) -> Callable[[Trials], str | None]:
    return lambda trials: trials[0].labels.get(name)


_DIMENSIONS: dict[str, Callable[[Trials], str | None]] = {
    "Flow": lambda trials: FLOWS.get(trials[0].labels.get("flow", "")),
    "Database": _label("database"),
    "Category": _label("category"),
    "User turns": _turn_band,
}


def _split(trials: Trials, label: Callable[[Trials], str | None]) -> dict[str, list[TrialRecord]]:
    """The trials by a label of their tasks, in the labels' natural order."""
    groups: dict[str, list[TrialRecord]] = {}
    for task in by_task(trials).values():
        value = label(task)
        if value is not None:
            groups.setdefault(value, []).extend(task)
    return dict(sorted(groups.items(), key=lambda item: _natural(item[0])))


def _natural(text: str) -> list[tuple[int, str]]:
    """Orders "2-3" before "10-11"."""
    return [
        (int(part or 0), "") if n % 2 else (0, part)
        for n, part in enumerate(re.split(r"(\d+)", text))
    ]
