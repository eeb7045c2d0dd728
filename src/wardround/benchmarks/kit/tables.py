"""Tables that any benchmark can show of its trials: reliability, outcomes and cost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from itertools import chain
from typing import TypeAlias

from wardround.core.benchmark import Table
from wardround.core.record import Outcome, RoleUse, TrialRecord
from wardround.scoring.reliability import Tally, reliabilities
from wardround.scoring.statistics import Interval, bootstrap_means

Cell: TypeAlias = str | int | float | None
Trials: TypeAlias = Sequence[TrialRecord]
Groups: TypeAlias = Mapping[str, Trials]

_USE_COLUMNS = (
    "Requests per trial",
    "Input tokens per trial",
    "Output tokens per trial",
    "Cost per trial",
    "Cost per task",
    "Total cost",
)


def by_task(trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The trials of each task, in the order in which tasks first occur."""
    tasks = defaultdict[str, list[TrialRecord]](list)
    for trial in trials:
        tasks[trial.task].append(trial)
    return dict(tasks)


def fewest_trials(trials: Iterable[TrialRecord]) -> int:
    """How many trials every task has at least, however they ended; 1 when there are no tasks."""
    return min(map(len, by_task(trials).values()), default=1)


def tallies(trials: Iterable[TrialRecord], grading: str) -> list[Tally]:
    """Each task's scored trials, and how many of them have the full reward in a grading mode."""
    return [
        Tally(sum(t.outcome.scored for t in group), sum(succeeded(t, grading) for t in group))
        for group in by_task(trials).values()
    ]


def succeeded(trial: TrialRecord, grading: str) -> bool:
    """Whether a trial counts and has the full reward in a grading mode."""
    return trial.outcome.scored and trial.scores.get(grading, 0.0) >= 1.0


def reliability_columns(k: int | str) -> tuple[str, ...]:
    """The names of `reliability_cells`, such as "Pass@5", "Pass@5 low", "Pass@5 high"."""
    names = (f"SR-{k}", f"Pass@{k}", f"Pass^{k}", f"Gap-{k}")
    figures = chain.from_iterable((name, f"{name} low", f"{name} high") for name in names)
    return ("Tasks", "Left out", *figures)


def reliability_cells(trials: Iterable[TrialRecord], grading: str, k: int) -> tuple[Cell, ...]:
    """Tasks counted, tasks left out, then each metric at k with its interval, in percent.

    A task with fewer than k scored trials is left out. Intervals are 95% percentile bootstrap
    intervals over tasks.
    """
    tasks = tallies(trials, grading)
    found = reliabilities(tasks, k)
    rows = [(task.success_rate, task.pass_at, task.pass_hat, task.gap) for task in found]
    if not rows:
        return (0, len(tasks), *[None] * 12)
    means = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    figures = map(_figure, means, bootstrap_means(rows))
    return (len(rows), len(tasks) - len(rows), *chain.from_iterable(figures))


def outcome_table(groups: Groups, group_name: str) -> Table:
    """How the trials of each group ended, with the denominator of every rate."""
    ended = [outcome.value.replace("_", " ").capitalize() for outcome in Outcome]
    return Table(
        "How trials ended",
        (group_name, "Tasks", "Trials", *ended, "Scored", "Rejected attempts"),
        tuple((name, *_outcomes(trials)) for name, trials in groups.items()),
        "Rates are over scored trials, which passed or failed; other trials are counted here "
        "only. Rejected attempts broke the simulated user's rules and were run again.",
    )


def cost_table(groups: Groups, group_name: str) -> Table:
    """What each role's model requests came to, all trials and attempts counted, in US dollars."""
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


def percent(share: float) -> float:
    """A share as percent with one decimal."""
    return round(100 * share, 1)


def _figure(mean: float, interval: Interval | None) -> tuple[Cell, ...]:
    ends = (None, None) if interval is None else map(percent, astuple(interval))
    return (percent(mean), *ends)


def _outcomes(trials: Trials) -> tuple[int, ...]:
    counted = Counter(trial.outcome for trial in trials)
    return (
        len(by_task(trials)),
        len(trials),
        *(counted[outcome] for outcome in Outcome),
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
        round(sum(use.input_tokens for use in uses) / trials),
        round(sum(use.output_tokens for use in uses) / trials),
        *(None if cost is None else round(cost / count, 6) for count in (trials, tasks, 1)),
    )
