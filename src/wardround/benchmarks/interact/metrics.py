"""BIRD-Interact's results as tables: Table 2, and what tells agents apart (5.2, J.3, K)."""

from collections.abc import Sequence
from statistics import fmean

from wardround.benchmarks.interact.figures import actions_by_turn, success_by_kind
from wardround.benchmarks.interact.kinds import in_order
from wardround.benchmarks.interact.prices import PRICES
from wardround.core.benchmark import Summary, Table
from wardround.core.record import TrialRecord
from wardround.scoring.statistics import bootstrap_means, correlation, ranks
from wardround.scoring.summaries import (
    Cell,
    Trials,
    cost_table,
    fewest_trials,
    outcome_table,
    percent,
    reliability_cells,
    reliability_columns,
)

ALL = "all"
GRADINGS = {"paper": "", "strict": " strict"}
_CATEGORIES = ("BI", "DM")
_DIMENSIONS = {
    "ambiguities": "Ambiguity",
    "knowledge": "Masked knowledge",
    "follow_up": "Follow-up",
    "database": "Database",
}


def summarize(trials: Sequence[TrialRecord]) -> Summary:
    """The results of a run, in percent, in both grading modes."""
    scored = [trial for trial in trials if trial.outcome.scored]
    k = fewest_trials(trials)
    tables = {
        "table_2": _table_2(scored),
        "outcomes": outcome_table(_categories(trials), "Category"),
        "breakdown": _breakdown(scored),
        "clarity": _clarity(scored),
        "actions": _actions(scored),
        "by_trials": _by_trials(trials, k),
        "cost": cost_table(_categories(trials), "Category"),
    }
    curves = {"figure_13": actions_by_turn(scored), "figure_14": success_by_kind(scored)}
    return Summary(
        {name: table for name, table in tables.items() if table.rows},
        {name: curve for name, curve in curves.items() if curve.lines},
    )


def _table_2(scored: Trials) -> Table:
    """Success of both requests, with what the second try of c-Interact gained, and the reward."""
    rows = []
    for grading, suffix in GRADINGS.items():
        for category, group in _categories(scored).items():
            rows.append((grading, category, len(group), *_success(group, grading, suffix)))
    return Table(
        "Success and reward",
        (
            "Grading",
            "Category",
            "Trials",
            "First",
            "First low",
            "First high",
            "By second try",
            "Follow-up",
            "Follow-up by second try",
            "Reward",
            "Reward low",
            "Reward high",
        ),
        tuple(rows),
        "Percent of trials, rewards times 100, with 95% bootstrap intervals. The follow-up is out "
        "of all trials, whether or not it was reached.",
    )


def _success(group: Trials, grading: str, suffix: str) -> tuple[Cell, ...]:
    first, second = (_mean(group, f"{name}{suffix}") for name in ("first", "second"))
    by_second, follow_by_second = (
        None if suffix else percent(_mean(group, name) - _mean(group, f"{name} at once"))
        for name in ("first", "second")
    )
    rewards = [trial.scores.get(grading, 0.0) for trial in group]
    figures = [(trial.measures.get(f"first{suffix}", 0.0),) for trial in group]
    return (
        percent(first),
        *_interval(figures),
        by_second,
        percent(second),
        follow_by_second,
        percent(fmean(rewards)),
        *_interval([(reward,) for reward in rewards]),
    )


def _interval(figures: Sequence[tuple[float, ...]]) -> tuple[Cell, Cell]:
    [found] = bootstrap_means(figures)
    return (None, None) if found is None else (percent(found.low), percent(found.high))


def _breakdown(scored: Trials) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (title, value, len(group), *(percent(_mean(group, name)) for name in ("first", "second")))
        for label, title in _DIMENSIONS.items()
        for value, group in _split(scored, label).items()
    ]
    columns = ("Group", "Value", "Trials", "First", "Follow-up")
    return Table("Success by group", columns, tuple(rows), "Percent, as published.")


def _clarity(scored: Trials) -> Table:
    """How many of the ambiguities were asked about, by kind (M)."""
    kinds = in_order(kind for trial in scored for kind in _parts(trial, "ambiguities"))
    rows: list[tuple[Cell, ...]] = []
    for kind in kinds:
        group = [trial for trial in scored if kind in _parts(trial, "ambiguities")]
        met = sum(f"cleared {kind}" in trial.measures for trial in group)
        rows.append((kind, len(group), percent(met / len(group))))
    leaks = sum(trial.measures.get("leaks", 0.0) for trial in scored)
    return Table(
        "Ambiguities asked about",
        ("Ambiguity", "Trials", "Asked about"),
        tuple(rows),
        f"Percent of the trials with one of the kind. The user nearly gave away {leaks:g} pieces "
        "of gold, which were taken out.",
    )


def _actions(scored: Trials) -> Table:
    """How often each action was taken, and whether more of it goes with success (J.3)."""
    names = [name for name in PRICES if any(f"action {name}" in t.measures for t in scored)]
    total = sum(_taken(trial, name) for trial in scored for name in names)
    success = [trial.measures.get("first", 0.0) for trial in scored]
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        shares = [_taken(trial, name) / _all_taken(trial) for trial in scored]
        count = sum(_taken(trial, name) for trial in scored)
        rows.append(
            (
                name,
                round(count / len(scored), 2),
                percent(count / total),
                correlation(shares, success),
                correlation(ranks(shares), ranks(success)),
            )
        )
    return Table(
        "Actions",
        ("Action", "Per trial", "Share", "Pearson", "Spearman"),
        tuple(rows),
        "Correlations are between an action's share of a trial and the success of its first "
        "request.",
    )


def _by_trials(trials: Trials, k: int) -> Table:
    rows = [(grading, *reliability_cells(trials, grading, k)) for grading in GRADINGS]
    columns = ("Grading", *reliability_columns(k))
    return Table(f"Tasks over {k} trials", columns, tuple(rows) if k > 1 else ())


def _categories(trials: Trials) -> dict[str, list[TrialRecord]]:
    """The trials of each category that occurs, and all of them."""
    groups = {
        category: [trial for trial in trials if trial.labels.get("category") == category]
        for category in _CATEGORIES
    }
    return {name: group for name, group in {**groups, ALL: list(trials)}.items() if group}


def _split(scored: Trials, label: str) -> dict[str, list[TrialRecord]]:
    values = in_order(value for trial in scored for value in _parts(trial, label))
    return {value: [t for t in scored if value in _parts(t, label)] for value in values}


def _parts(trial: TrialRecord, label: str) -> list[str]:
    return [part for part in trial.labels.get(label, "").split(", ") if part]


def _mean(group: Trials, name: str) -> float:
    return fmean(trial.measures.get(name, 0.0) for trial in group)


def _taken(trial: TrialRecord, action: str) -> float:
    return trial.measures.get(f"action {action}", 0.0)


def _all_taken(trial: TrialRecord) -> float:
    return sum(v for name, v in trial.measures.items() if name.startswith("action ")) or 1.0
