"""Tables that all benchmarks can report: reliability, outcomes and cost."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import fsum
from statistics import fmean
from typing import TypeVar

from wardround.benchmarks.kit.groups import ALL, Cell, Groups, Trials, fewest_trials
from wardround.core.benchmark import Table
from wardround.core.record import Outcome, RoleUse, TrialRecord, by_task
from wardround.scoring.reliability import Tally, reliabilities
from wardround.scoring.statistics.intervals import Interval, mean_intervals

Item = TypeVar("Item")

_USE_COLUMNS = (
    "Requests per trial",
    "Input tokens per trial",
    "Output tokens per trial",
    "Cost per trial",
    "Cost per task",
    "Total cost",
)


def tallies(trials: Iterable[TrialRecord], grading: str) -> list[Tally]:
    """Counts each task's scored trials and those with the full reward by a grading."""
    return [
        Tally(sum(t.outcome.scored for t in group), sum(succeeded(t, grading) for t in group))
        for group in by_task(trials).values()
    ]


def succeeded(trial: TrialRecord, grading: str) -> bool:
    """True if a trial is scored and has the full reward by a grading."""
    return trial.outcome.scored and trial.scores.get(grading, 0.0) >= 1.0


def reliability_columns(k: int | str) -> tuple[str, ...]:
    """Names the columns of `reliability_cells`, such as "Pass@5", "Pass@5 low"."""
    names = (f"SR-{k}", f"Pass@{k}", f"Pass^{k}", f"Gap-{k}")
    return ("Tasks", "Left out", *chain.from_iterable(map(figure_columns, names)))


def shown_ks(most: int) -> list[int]:
    """The k at which results are shown: all up to 10, then 1, 2 and 5 of each decade, and the last.

    >>> shown_ks(3), shown_ks(120)[9:]
    ([1, 2, 3], [10, 20, 50, 100, 120])
    """
    decades = (10**n for n in range(1, len(str(most))))
    rounded = (first * decade for decade in decades for first in (1, 2, 5))
    return sorted({k for k in (*range(1, 11), *rounded) if k < most} | {most})


def reliability_cells(tasks: Sequence[Tally], k: int) -> tuple[Cell, ...]:
    """Computes tasks counted, tasks left out, and each metric at k with its interval, in percent.

    Tasks with fewer than k scored trials are left out. Intervals are over tasks, at 95%:
    Clopper-Pearson intervals where each task has 0 or 1, else percentile bootstrap intervals.
    Gap-1 is 0 by definition and has none.
    """
    measured = reliabilities(tasks, k)
    rows = [(task.success_rate, task.pass_at, task.pass_hat, task.gap) for task in measured]
    if not rows:
        return (0, len(tasks), *[None] * 12)
    means = (fsum(column) / len(rows) for column in zip(*rows, strict=True))
    intervals = mean_intervals(rows)
    if k == 1:
        intervals[-1] = None
    figures = map(figure_cells, means, intervals)
    return (len(rows), len(tasks) - len(rows), *chain.from_iterable(figures))


def reliability_table(
    title: str,
    groups: Groups,
    gradings: Iterable[str],
    k: int,
    *,
    group_name: str = "",
    note: str = "",
) -> Table:
    """Makes a table of reliability at k, a row for each group and grading.

    Args:
        title: the table's title.
        groups: the trials of each group.
        gradings: the names of the gradings.
        k: the number of trials per task.
        group_name: the title of the column of group names; "" for no such column.
        note: the table's note.
    """
    named = [group_name] if group_name else []
    rows = tuple(
        (*([name] if named else []), grading, *reliability_cells(tallies(trials, grading), k))
        for name, trials in groups.items()
        for grading in gradings
    )
    return Table(title, (*named, "Grading", *reliability_columns(k)), rows, note)


def overall_reliability(trials: Trials, gradings: Iterable[str], note: str = "") -> Table:
    """Makes the table of reliability over all tasks, at the smallest number of trials of a task.

    Args:
        trials: all trials of a run.
        gradings: the names of the gradings.
        note: the table's note.
    """
    k = fewest_trials(trials)
    title = f"Reliability over {k} trial{'s' * (k > 1)} a task"
    return reliability_table(title, {ALL: trials}, gradings, k, note=note)


def common_tables(
    trials: Trials, gradings: Iterable[str], noun: str = "Trials", note: str = ""
) -> dict[str, Table]:
    """Makes the tables with which every report ends: reliability, outcomes and cost.

    Args:
        trials: all trials of a run.
        gradings: the names of the gradings.
        noun: the title of the column of group names.
        note: the note of the table of reliability.
    """
    everything = {ALL: list(trials)}
    return {
        "reliability": overall_reliability(trials, gradings, note),
        "outcomes": outcome_table(everything, noun),
        "cost": cost_table(everything, noun),
    }


def filled(tables: Mapping[str, Table]) -> dict[str, Table]:
    """Leaves out the tables without rows."""
    return {name: table for name, table in tables.items() if table.rows}


def size_table(
    title: str,
    groups: Mapping[str, Sequence[Item]],
    sizes: Mapping[str, Callable[[Item], float]],
    note: str = "",
) -> Table:
    """Makes a table of the mean and the largest of each size of items, a column for each group."""
    rows: list[tuple[Cell, ...]] = [("items", "", *map(len, groups.values()))]
    for name, size in sizes.items():
        values = [list(map(size, group)) for group in groups.values()]
        rows.append((name, "mean", *(round(fmean(each), 2) for each in values)))
        rows.append((name, "most", *map(max, values)))
    return Table(title, ("Figure", "", *groups), tuple(rows), note)


def outcome_table(groups: Groups, group_name: str) -> Table:
    """Makes a table of outcomes by group, with the denominator of every rate."""
    outcomes = [outcome.value.replace("_", " ").capitalize() for outcome in Outcome]
    return Table(
        "How trials ended",
        (group_name, "Tasks", "Trials", *outcomes, "Scored", "Rejected attempts"),
        tuple((name, *_outcomes(trials)) for name, trials in groups.items()),
        "Rates are over scored trials, which passed or failed; other trials are counted here "
        "only. Rejected attempts broke the simulated user's rules and were run again.",
    )


def cost_table(groups: Groups, group_name: str) -> Table:
    """Makes a table of requests, tokens and US dollars by role, over all trials and attempts."""
    rows = [
        (name, role, *_use(uses, len(trials), len(by_task(trials))))
        for name, trials in groups.items()
        for role, uses in _by_role(trials).items()
    ]
    return Table(
        "Model use by role",
        (group_name, "Role", *_USE_COLUMNS),
        tuple(rows),
        "US dollars; none where a model's price is not known. A task's cost is that of all its "
        "trials." + ("" if rows else " No model was asked."),
    )


def cost_per_trial(trials: Trials, role: str) -> float | None:
    """Returns the mean US dollars of a role's model per trial; None if a price is unknown."""
    prices = [trial.use.get(role, RoleUse()).cost for trial in trials]
    known_prices = [price for price in prices if price is not None]
    return round(fmean(known_prices), 6) if len(known_prices) == len(prices) else None


def percent(share: float) -> float:
    """Converts a share to percent with one decimal."""
    return round(100 * share, 1)


def mean_percent(shares: Iterable[Fraction | float | None]) -> float | None:
    """Returns the mean of the known shares in percent; None without any.

    >>> mean_percent([1.0, None, 0.5]), mean_percent([])
    (75.0, None)
    """
    known_shares = [float(share) for share in shares if share is not None]
    return percent(fmean(known_shares)) if known_shares else None


def figure_columns(name: str) -> tuple[str, str, str]:
    """Names the columns of a figure and its interval.

    >>> figure_columns("Reward")
    ('Reward', 'Reward low', 'Reward high')
    """
    return (name, f"{name} low", f"{name} high")


def figure_cells(
    value: float | None, interval: Interval | None = None, scale: float = 100
) -> tuple[Cell, Cell, Cell]:
    """Rounds a figure and its interval to one decimal, by default as percent.

    >>> figure_cells(0.5, Interval(0.25, 0.75)), figure_cells(None)
    ((50.0, 25.0, 75.0), (None, None, None))
    """
    ends = (None, None) if interval is None else (interval.low, interval.high)
    figure, low, high = (None if x is None else round(scale * x, 1) for x in (value, *ends))
    return figure, low, high


def _outcomes(trials: Trials) -> tuple[int, ...]:
    counts = Counter(trial.outcome for trial in trials)
    return (
        len(by_task(trials)),
        len(trials),
        *(counts[outcome] for outcome in Outcome),
        sum(trial.outcome.scored for trial in trials),
        sum(len(trial.rejected) for trial in trials),
    )


def _by_role(trials: Trials) -> dict[str, list[RoleUse]]:
    roles = sorted({role for trial in trials for role in trial.use})
    return {role: [trial.use[role] for trial in trials if role in trial.use] for role in roles}


def _use(uses: Sequence[RoleUse], trials: int, tasks: int) -> tuple[Cell, ...]:
    prices = [use.cost for use in uses if use.cost is not None]
    cost = sum(prices) if len(prices) == len(uses) else None
    return (
        round(sum(use.requests for use in uses) / trials, 1),
        _mean_tokens([use.input_tokens for use in uses], trials),
        _mean_tokens([use.output_tokens for use in uses], trials),
        *(None if cost is None else round(cost / count, 6) for count in (trials, tasks, 1)),
    )


def _mean_tokens(counts: Sequence[int | None], trials: int) -> int | None:
    """The mean over trials; None if a count is unknown."""
    known_counts = [count for count in counts if count is not None]
    return round(sum(known_counts) / trials) if len(known_counts) == len(counts) else None
