"""The tables behind the answer of an assessment."""

from collections.abc import Iterator, Sequence
from math import fsum
from typing import TypeAlias

from wardround.assessment.assessed import Assessed, differences
from wardround.assessment.decision import RuleResult
from wardround.assessment.evidence import (
    Evidence,
    PlayedSuite,
    harm_rates,
    reliability,
    success_rate,
)
from wardround.core.benchmark import Table
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord, by_task
from wardround.scoring.statistics.bounds import holm

# Groups with fewer tasks say little: they are listed without a figure.
_LEAST_TASKS = 5
_GROUPS = 12
_MOST_VALUES = 25  # a label with more values names tasks, not groups


def tables(assessed: Assessed) -> dict[str, Table]:
    """The tables behind the answer; those without rows are left out."""
    made = {
        "policy": _policy_table(assessed.rules),
        "benchmarks": _benchmark_table(assessed.played, assessed.trials),
        "harms": _harm_table(assessed.played),
        "weakest": _weakest_table(assessed.played),
        "compared": _compared_table(assessed),
        "cost": _cost_table(assessed.played),
    }
    return {name: table for name, table in made.items() if table.rows}


def _policy_table(rules: Sequence[RuleResult]) -> Table:
    rows = tuple(
        (
            str(each.rule),
            each.state.value,
            each.evidence.tasks,
            *_figures(each.evidence),
            each.deciding,
        )
        for each in rules
    )
    columns = (
        "Rule",
        "State",
        "Tasks",
        "Measure",
        "Measure low",
        "Measure high",
        "Tasks to decide",
    )
    note = (
        "Percent, with one-sided 95% bounds over tasks; states hold for all rules together (Holm). "
        "Tasks to decide are those at which the bound clears the limit if the measure stays."
    )
    return Table("Rules of the policy", tuple(columns), rows, note)


def _benchmark_table(played: Sequence[PlayedSuite], k: int) -> Table:
    rows = tuple(
        (suite.name, evidence.tasks, *_figures(evidence), evidence.undecided)
        for suite in played
        if not suite.is_injected
        for evidence in [reliability([suite], k)]
    )
    success = f"Pass^{k}"
    columns = ("Benchmark", "Tasks", success, f"{success} low", f"{success} high", "Undecided")
    return Table("By benchmark", columns, rows, "Percent, with one-sided 95% bounds over tasks.")


def _harm_table(played: Sequence[PlayedSuite]) -> Table:
    rows = tuple(
        (harm.noun, suite.name, evidence.tasks, *_figures(evidence))
        for harm in Harm
        for suite in played
        for evidence in [harm_rates([suite], harm)]
        if evidence.tasks
    )
    columns = ("Harm", "Benchmark", "Tasks", "Rate", "Rate low", "Rate high")
    note = (
        "Percent of the trials of tasks in which the harm is possible, with one-sided 95% bounds "
        "over tasks."
    )
    return Table("What it would have done", columns, rows, note)


def _weakest_table(played: Sequence[PlayedSuite]) -> Table:
    """The groups of tasks with the lowest success, then those too small to have a figure."""
    groups = [group for suite in played if not suite.is_injected for group in _failing(suite)]
    large = sorted(
        (group for group in groups if group[3] >= _LEAST_TASKS),
        key=lambda g: (g[4], -g[3]),
    )
    small = sorted((group for group in groups if group[3] < _LEAST_TASKS), key=lambda g: -g[3])
    rows = (
        *large[:_GROUPS],
        *((*group[:4], None, group[5]) for group in small[:_GROUPS]),
    )
    columns = ("Benchmark", "Label", "Group", "Tasks", "Success", "Example")
    note = (
        "Percent of trials, meaned over tasks; an example is a failed trial of the group. Groups "
        f"with fewer than {_LEAST_TASKS} tasks come last and have no figure, which would say "
        "nothing."
    )
    return Table("Where it fails", columns, rows, note)


_Failing: TypeAlias = tuple[str, str, str, int, float, str]


def _failing(suite: PlayedSuite) -> Iterator[_Failing]:
    """The groups of a suite with failures; a suite of a few tasks is one group."""
    groups = _groups(suite.trials)
    if len(by_task(suite.trials)) < _LEAST_TASKS:
        groups = {("", "all"): list(suite.trials)}
    for (label, value), trials in groups.items():
        tasks, success, example = _group(trials)
        if success < 100:
            yield suite.name, label, value, tasks, success, example


def _groups(trials: Sequence[TrialRecord]) -> dict[tuple[str, str], list[TrialRecord]]:
    """The trials by label and value, for labels that divide the tasks into a few groups."""
    groups: dict[tuple[str, str], list[TrialRecord]] = {}
    for trial in trials:
        for label, value in trial.labels.items():
            groups.setdefault((label, value), []).append(trial)
    values: dict[str, int] = {}
    for label, _ in groups:
        values[label] = values.get(label, 0) + 1
    return {key: each for key, each in groups.items() if 1 < values[key[0]] <= _MOST_VALUES}


def _group(trials: Sequence[TrialRecord]) -> tuple[int, float, str]:
    """The number of tasks, their success in percent, and a trial that failed."""
    rates = [success_rate(group) for group in by_task(trials).values()]
    failed = next((t for t in trials if t.outcome.value == "failed"), None)
    example = trial_name(failed) if failed else ""
    return len(rates), round(100 * fsum(rates) / len(rates), 1), example


def trial_name(trial: TrialRecord) -> str:
    """A trial as it is named in tables and by `wardround trace`."""
    return f"{trial.task}:{trial.trial}"


def _compared_table(assessed: Assessed) -> Table:
    """Other agents on the same tasks, each tested against this one."""
    compared = differences(assessed)
    adjusted = holm([1.0 if each.p is None else each.p for each in compared.values()])
    rows = []
    for (name, each), p in zip(compared.items(), adjusted, strict=True):
        ends = (each.interval.low, each.interval.high) if each.interval else (None, None)
        figures = (each.first, each.second, each.difference, *ends)
        cells = [None if figure is None else round(100 * figure, 1) for figure in figures]
        p_value = None if each.p is None else round(p, 4)
        rows.append((name, each.tasks, *cells, p_value, each.test))
    columns = "Agent,Tasks,This agent,That agent,Difference,Difference low,Difference high,p,Test"
    note = (
        "Percent of trials, meaned over the tasks that both played; a positive difference is "
        "the other agent's. p is for all comparisons together (Holm)."
    )
    return Table("Beside other agents", tuple(columns.split(",")), tuple(rows), note)


def _cost_table(played: Sequence[PlayedSuite]) -> Table:
    rows = tuple(
        (
            f"{suite.name}, instruction hidden" if suite.is_injected else suite.name,
            tasks,
            len(suite.trials),
            round(fsum(trial.seconds for trial in suite.trials) / tasks, 2),
            _dollars(suite.trials, tasks),
        )
        for suite in played
        for tasks in [len(by_task(suite.trials))]
        if tasks
    )
    columns = ("Benchmark", "Tasks", "Trials", "Seconds per task", "Dollars per task")
    note = "Of all trials of a task; a dash stands for an unknown price."
    return Table("Time and cost", columns, rows, note)


def _dollars(trials: Sequence[TrialRecord], tasks: int) -> float | None:
    costs = [use.cost for trial in trials for use in trial.use.values()]
    known_costs = [cost for cost in costs if cost is not None]
    return round(fsum(known_costs) / tasks, 4) if len(known_costs) == len(costs) else None


def _figures(evidence: Evidence) -> tuple[float | None, float | None, float | None]:
    """The mean and its one-sided bounds, in percent; at its lowest where values are undecided."""
    if not evidence.tasks:
        return None, None, None
    bounds = evidence.bounds
    ends = (bounds.low, bounds.high) if bounds else (None, None)
    mean = round(100 * evidence.means[0], 1)
    low, high = (None if end is None else round(100 * end, 1) for end in ends)
    return mean, low, high
