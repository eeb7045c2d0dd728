"""EHR-ChatQA's results: the paper's Table 3 and Figure 3, and breakdowns."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from statistics import fmean

from wardround.benchmarks.chatqa.failures.tables import failure_table, rerun_table, turn_variability
from wardround.benchmarks.kit.figures import Points, mean_points
from wardround.benchmarks.kit.groups import (
    ALL,
    Cell,
    Dimension,
    Groups,
    Trials,
    breakdown_rows,
    fewest_trials,
    grouped_by,
    named_groups,
)
from wardround.benchmarks.kit.tables import (
    cost_table,
    outcome_table,
    reliability_cells,
    reliability_columns,
    reliability_table,
    shown_ks,
    succeeded,
    tallies,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.core.record import TrialRecord, by_task
from wardround.scoring.reliability import Reliability, reliabilities
from wardround.scoring.statistics.intervals import centred, correlation

FLOWS = {"incre": "IncreQA", "adapt": "AdaptQA"}
GRADINGS = ("paper", "strict")


def summarize(trials: Trials) -> Summary:
    """Builds the results of a run (paper, 5.2), in percent, by both gradings.

    k is the smallest number of trials of a task, with any outcome.
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
        "failures": failure_table(flows),
        "reruns": rerun_table(trials),
        "cost": cost_table(flows, "Flow"),
    }
    return Summary(tables, _curves({name: flows[name] for name in flows if name != ALL}, k))


def flow_groups(trials: Trials) -> dict[str, list[TrialRecord]]:
    """Groups trials by flow, and adds a group of all trials if there are several flows."""
    groups = named_groups(trials, lambda trial: trial.labels.get("flow", ""), FLOWS)
    return groups if len(groups) == 1 else {**groups, ALL: list(trials)}


def _table_3(flows: Groups, k: int) -> Table:
    return reliability_table(
        f"Results over {k} trials a task",
        flows,
        GRADINGS,
        k,
        group_name="Flow",
        note="Percent, with 95% intervals over tasks: Clopper and Pearson's where each task has 0 "
        f"or 100, else bootstrap. Tasks with fewer than {k} scored trials are left out.",
    )


def _by_k(flows: Groups, most: int) -> Table:
    rows = [
        (name, grading, k, *reliability_cells(tasks, k))
        for name, trials in flows.items()
        for grading in GRADINGS
        for tasks in [tallies(trials, grading)]
        for k in shown_ks(most)
    ]
    columns = ("Flow", "Grading", "k", *reliability_columns("k"))
    return Table("Results by number of trials", columns, tuple(rows), "Percent, as above.")


def _breakdown(trials: Trials, k: int) -> Table:
    def cells(tasks: Sequence[Trials]) -> list[tuple[Cell, ...]]:
        group = list(chain.from_iterable(tasks))
        return [(grading, *reliability_cells(tallies(group, grading), k)) for grading in GRADINGS]

    return Table(
        "Results by group",
        ("Group", "Value", "Grading", *reliability_columns(k)),
        breakdown_rows(list(by_task(trials).values()), _DIMENSIONS, cells),
        "Percent, as above. User turns are the mean over a task's scored trials.",
    )


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
            tasks = _mixed_tasks(trials, grading)
            counts = (len(tasks), sum(map(len, tasks)))
            rows.append((name, grading, *counts, _within_task_correlation(tasks, grading)))
    return Table(
        "Success and user interactions within a task",
        ("Flow", "Grading", "Tasks", "Trials", "Correlation"),
        tuple(rows),
        "Correlation of a trial's success with its number of user interactions, both as "
        "differences from the task's mean, over tasks with successes and failures alike.",
    )


def _mixed_tasks(trials: Trials, grading: str) -> list[list[TrialRecord]]:
    """The scored trials of each task that has both successes and failures."""
    scored = by_task(trial for trial in trials if trial.outcome.scored)
    return [group for group in scored.values() if len({succeeded(t, grading) for t in group}) > 1]


def _within_task_correlation(tasks: Iterable[Trials], grading: str) -> float | None:
    """Correlation of success with user interactions, both centred on the task's mean."""
    turns: list[float] = []
    success: list[float] = []
    for trials in tasks:
        turns += centred([_turns(trial) for trial in trials])
        success += centred([float(succeeded(trial, grading)) for trial in trials])
    coefficient = correlation(turns, success)
    return None if coefficient is None else round(coefficient, 3)


def _curves(flows: Groups, k: int) -> dict[str, Curve]:
    by_k = {
        f"figure_3a_{name.lower()}_{grading}": _figure_3a(name, trials, grading, k)
        for name, trials in flows.items()
        for grading in GRADINGS
    }
    return {
        **by_k,
        "figure_3b": _figure_3b(flows, k),
        "figure_3c": _figure_3c(flows),
        "figure_4": turn_variability(flows),
    }


_METRICS: dict[str, Callable[[Reliability], float]] = {
    "Pass@k": lambda task: task.pass_at,
    "Pass^k": lambda task: task.pass_hat,
    "Gap-k": lambda task: task.gap,
}


def _figure_3a(name: str, trials: Trials, grading: str, most: int) -> Curve:
    """Pass@k, Pass^k and Gap-k for the k shown (paper, Figure 3a)."""
    tasks = tallies(trials, grading)
    by_k = {k: reliabilities(tasks, k) for k in shown_ks(most)}
    lines = {
        metric: mean_points({k: list(map(value, at_k)) for k, at_k in by_k.items()})
        for metric, value in _METRICS.items()
    }
    return Curve(f"{name}, {grading} grading", "k (trials)", "tasks, %", lines)


def _figure_3b(flows: Groups, k: int) -> Curve:
    """SR-k and Gap-k of tasks by their mean number of user interactions (paper, Figure 3b)."""
    lines: dict[str, Points] = {}
    for name, trials in flows.items():
        by_turns = grouped_by(by_task(trials).values(), task_turns)
        by_task_turns = {
            turns: [task for trials in tasks for task in reliabilities(tallies(trials, "paper"), k)]
            for turns, tasks in by_turns.items()
            if turns is not None
        }
        lines[f"{name} SR-{k}"] = mean_points(
            {turns: [task.success_rate for task in tasks] for turns, tasks in by_task_turns.items()}
        )
        lines[f"{name} Gap-{k}"] = mean_points(
            {turns: [task.gap for task in tasks] for turns, tasks in by_task_turns.items()}
        )
    title = "By user interactions of the task, paper grading"
    return Curve(title, "user interactions (task's mean)", "%", lines)


def _figure_3c(flows: Groups) -> Curve:
    """Success of trials by their user interactions relative to the task's mean (Figure 3c).

    Only tasks with both successes and failures count: in all others success does not vary.
    """
    lines = {name: _success_by_difference(_mixed_tasks(t, "paper")) for name, t in flows.items()}
    return Curve(
        "By user interactions within a task, paper grading",
        "user interactions, difference from the task's mean",
        "trials passed, %",
        lines,
    )


def _success_by_difference(tasks: Iterable[Trials]) -> Points:
    pairs = [
        (round(difference), float(succeeded(trial, "paper")))
        for trials in tasks
        for difference, trial in zip(centred(list(map(_turns, trials))), trials, strict=True)
    ]
    by_difference = grouped_by(pairs, lambda pair: pair[0])
    return mean_points({x: [passed for _, passed in group] for x, group in by_difference.items()})


def task_turns(trials: Trials) -> int | None:
    """Returns the mean user interactions of a task's scored trials, rounded; None without any."""
    scored = [_turns(trial) for trial in trials if trial.outcome.scored]
    return round(fmean(scored)) if scored else None


def _turns(trial: TrialRecord) -> int:
    return trial.counts.get("user_turns", 0)


def _turn_band(trials: Trials) -> list[str]:
    turns = task_turns(trials)
    return [] if turns is None else [f"{turns // 2 * 2}-{turns // 2 * 2 + 1}"]


def _label(name: str) -> Callable[[Trials], list[str]]:
    return lambda trials: [trials[0].labels[name]] if name in trials[0].labels else []


_DIMENSIONS: tuple[Dimension[Trials], ...] = (
    Dimension("Flow", lambda trials: [FLOWS[flow] for flow in _label("flow")(trials)]),
    Dimension("Database", _label("database")),
    Dimension("Category", _label("category")),
    Dimension("User turns", _turn_band),
)
