"""BIRD-Interact's results as tables: Table 2, breakdowns, actions and ambiguities (5.2, J.3, K)."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import TypeVar

from wardround.benchmarks.interact import figures
from wardround.benchmarks.interact.declaration import MODES
from wardround.benchmarks.interact.figures import (
    REQUESTS,
    InteractTrial,
    InteractTrials,
    action_share,
    success,
    success_correlations,
    times_taken,
    turn_table,
)
from wardround.benchmarks.interact.scorer import InteractMeasures
from wardround.benchmarks.kit.groups import (
    ALL,
    Cell,
    Dimension,
    Labelled,
    Trials,
    breakdown_rows,
    grouped_by,
    listed_values,
    named_groups,
)
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.tables import (
    cost_per_trial,
    cost_table,
    figure_cells,
    figure_columns,
    filled,
    outcome_table,
    overall_reliability,
    percent,
)
from wardround.core.benchmark import Summary, Table
from wardround.people.clarifying.kinds import in_order
from wardround.scoring.statistics.intervals import mean_intervals

CATEGORIES = ("BI", "DM")
_TABLE_2 = (
    "Grading,Category,Trials,First,First gained,First low,First high,Follow-up,Follow-up gained"
)
_DIMENSIONS: tuple[Dimension[InteractTrial], ...] = (
    Dimension("Ambiguity", figures.ambiguities, in_order),
    Dimension("Masked knowledge", listed_values("knowledge"), in_order),
    Dimension("Follow-up", listed_values("follow_up"), in_order),
    Dimension("Database", listed_values("database"), in_order),
)

Item = TypeVar("Item", bound=Labelled)


def summarize(trials: Trials) -> Summary:
    """Builds the results of a run, in percent, by both gradings."""
    scored = measured(trials, InteractMeasures)
    tables = {
        "table_2": _table_2(scored),
        "outcomes": outcome_table(categories(trials), "Category"),
        "breakdown": _breakdown(scored),
        "clarity": _clarity(scored),
        "failures": _failures(scored),
        "actions": _actions(scored),
        "turns": turn_table("Actions by turn (Figure 13)", figures.turns(scored), figures.TURNS),
        "reliability": overall_reliability(trials, MODES),
        "cost": cost_table(categories(trials), "Category"),
    }
    plotted = {
        **figures.action_figures(categories(scored)),
        **({"figure_13": figures.turn_figure(scored)} if figures.actions([scored]) else {}),
        **figures.success_figures({"first request": scored}),
    }
    return Summary(filled(tables), plotted)


def success_and_reward(scored: InteractTrials, *, second_try: bool) -> tuple[Cell, ...]:
    """Returns the cells of a row of Table 2: success of both requests, reward and model cost.

    Success is of BI, DM and all trials, each with the gain of the second submission.

    Args:
        scored: trials, at least one.
        second_try: True if a failed request may be submitted again.
    """
    groups = categories(scored)
    cells: list[Cell] = []
    for stage in REQUESTS.values():
        for group in (groups.get(category) for category in (*CATEGORIES, ALL)):
            cells.append(percent(success(group, stage)) if group else None)
            cells.append(_gained(group, stage) if group and second_try else None)
    return (
        *cells,
        percent(_reward(scored, "paper")),
        cost_per_trial([trial.record for trial in scored], "agent"),
    )


def categories(items: Sequence[Item]) -> dict[str, list[Item]]:
    """Groups trials by category, and adds a group of all trials."""
    names = {category: category for category in CATEGORIES}
    groups = named_groups(items, lambda item: item.labels.get("category", ""), names)
    return {**groups, **({ALL: list(items)} if items else {})}


def _gained(trials: InteractTrials, stage: str) -> float:
    """Percent of trials that carried out a request with a later submission than the first."""
    at_once = fmean(trial.measures.request(stage).at_once for trial in trials)
    return percent(success(trials, stage) - at_once)


def _table_2(scored: InteractTrials) -> Table:
    """Success of both requests, with the gain of the second submission, and the reward."""
    return Table(
        "Success and reward (Tables 2 and 10)",
        (*_TABLE_2.split(","), *figure_columns("Reward"), "Cost"),
        tuple(
            (grading, category, len(group), *_success(group, grading))
            for grading in MODES
            for category, group in categories(scored).items()
        ),
        "Percent of trials, with what was gained by trying again after a failed submission; "
        "rewards times 100; 95% bootstrap intervals over tasks. The follow-up is out of all "
        "trials, whether or not it was reached. Cost: US dollars of the agent's model per trial.",
    )


def _success(group: InteractTrials, grading: str) -> tuple[Cell, ...]:
    strict = grading == "strict"
    tasks = grouped_by(group, lambda trial: trial.record.task).values()
    by_task = [(success(task, "first", strict=strict), _reward(task, grading)) for task in tasks]
    first_interval, reward_interval = mean_intervals(by_task)
    done, low, high = figure_cells(success(group, "first", strict=strict), first_interval)
    return (
        done,
        None if strict else _gained(group, "first"),
        low,
        high,
        percent(success(group, "second", strict=strict)),
        None if strict else _gained(group, "second"),
        *figure_cells(_reward(group, grading), reward_interval),
        cost_per_trial([trial.record for trial in group], "agent"),
    )


def _reward(group: InteractTrials, grading: str) -> float:
    return fmean(trial.record.scores.get(grading, 0.0) for trial in group)


def _breakdown(scored: InteractTrials) -> Table:
    def cells(group: InteractTrials) -> list[tuple[Cell, ...]]:
        return [(len(group), *(percent(success(group, stage)) for stage in REQUESTS.values()))]

    return Table(
        "Success by group (Figures 14 and 15)",
        ("Group", "Value", "Trials", *REQUESTS),
        breakdown_rows(scored, _DIMENSIONS, cells),
        "Percent, as published. Linear gaps of knowledge are one-shot, higher-order ones chain.",
    )


def _failures(scored: InteractTrials) -> Table:
    """Causes of failures (paper, M)."""
    causes = Counter(t.measures.failure for t in scored if t.measures.failure)
    rows = [
        (cause, count, percent(count / causes.total())) for cause, count in causes.most_common()
    ]
    return Table(
        "Why trials failed (M)",
        ("Cause", "Trials", "%"),
        tuple(rows),
        "An ambiguity of the first request that the agent did not ask about counts first.",
    )


def _clarity(scored: InteractTrials) -> Table:
    """Share of ambiguities that the agent asked about, by kind (M)."""
    rows: list[tuple[Cell, ...]] = []
    for kind in in_order(kind for trial in scored for kind in figures.ambiguities(trial)):
        group = figures.with_ambiguity(scored, kind)
        met = sum(kind in trial.measures.asked_about for trial in group)
        rows.append((kind, len(group), percent(met / len(group))))
    leaks = sum(trial.measures.leaks for trial in scored)
    return Table(
        "Ambiguities asked about",
        ("Ambiguity", "Trials", "Asked about"),
        tuple(rows),
        f"Percent of the trials with one of the kind. The user nearly gave away {leaks} pieces "
        "of gold, which were taken out.",
    )


def _actions(scored: InteractTrials) -> Table:
    """Frequency of each action, and its correlation with success (J.3)."""
    passed = [success([trial], "first") for trial in scored]
    actions = figures.actions_of(scored)
    by_trial = [[names] for names in actions]
    return Table(
        "Actions (Figures 10 to 12)",
        ("Action", "Per trial", "Share", "Pearson", "Spearman"),
        tuple(
            (
                name,
                round(times_taken(actions, name) / len(scored), 2),
                percent(action_share(actions, name)),
                *success_correlations(by_trial, name, passed),
            )
            for name in figures.actions([scored])
        ),
        "Correlations are between an action's share of a trial and the success of its first "
        "request.",
    )
