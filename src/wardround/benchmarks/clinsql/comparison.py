"""Comparison of runs: Tables 4, 5, 7 to 12 and 15, Figures 5, 21 and 22, and pairs of runs."""

from collections.abc import Mapping, Sequence
from itertools import chain, combinations, product
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.clinsql.declaration import PAPER, STRICT
from wardround.benchmarks.clinsql.item_scores import (
    CohortTrial,
    ItemScore,
    divergence_table,
    diverging_sample,
    item_scores,
)
from wardround.benchmarks.clinsql.items.item import LEVELS, TREES
from wardround.benchmarks.clinsql.items.item_folders import SPLITS
from wardround.benchmarks.clinsql.report import BOUNDS, Bound, mean_score, success_shares
from wardround.benchmarks.clinsql.scorer import GRADINGS, CohortMeasures
from wardround.benchmarks.kit.compared_runs import ComparedRun, Settings, distinct_names, system
from wardround.benchmarks.kit.figures import table_of
from wardround.benchmarks.kit.groups import ALL, Cell, Trials, grouped_by, label_groups
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.tables import figure_cells, figure_columns, filled
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Bars, Figure
from wardround.scoring.statistics.intervals import mean_intervals, ranks

Run: TypeAlias = ComparedRun[CohortMeasures]
_MOST_PAIRED = 8  # runs; every pair is a row
_BASE = "cot"
_REGIMES = {"cot": "CoT", "direct": "Direct", "hinted": "Hinted", "tools": "Tools"}
_NOTE = (
    "Percent, means over trials. Lower counts undecided leaves as failed, upper as passed. Ranks "
    "share ties and are by the mean of both scores."
)


def compare(runs: Sequence[tuple[Settings, Trials]]) -> Summary:
    """The paper's tables over several runs, a row or column for each."""
    names = names_of([settings for settings, _ in runs])
    compared = [
        ComparedRun(name, settings, measured_in_bounds(trials, CohortMeasures))
        for name, (settings, trials) in zip(names, runs, strict=True)
    ]
    by_name = {run.name: run.trials for run in compared}
    figures = regime_figures(compared)
    tables = {
        "table_4": _levels_table(compared),
        "table_7": _settings_table(compared),
        "table_8_9": _scenarios_table(compared),
        "table_10_12": _attempts_table(compared),
        "table_15": divergence_table(by_name, (STRICT, PAPER)),
        "diverging": diverging_sample(by_name, PAPER),
        "paired": _paired_table(compared),
        "regimes": regimes_table(compared),
        **{name: table_of(figure) for name, figure in figures.items()},
    }
    return Summary(filled(tables), figures)


def names_of(runs: Sequence[Settings]) -> list[str]:
    """Names of runs: the system, and the regime or seed where they differ.

    >>> of = {"agent": "query", "models": {"agent": {"name": "openai:gpt-5"}}}
    >>> names_of([of | {"regime": "cot"}, of | {"regime": "direct"}])
    ['query gpt-5, cot', 'query gpt-5, direct']
    """
    details = [
        {
            "regime": str(run.get("regime", "")),
            "seed": f"seed {run['seed']}" if "seed" in run else "",
        }
        for run in runs
    ]
    return distinct_names([system(run) for run in runs], details)


def _levels_table(runs: Sequence[Run]) -> Table:
    """SQL and execution score by split and level, a row for each run and grading (Table 4)."""
    columns, rows = _score_rows(runs, "level", LEVELS)
    return Table("SQL and execution score (Table 4)", columns, rows, _NOTE)


def _scenarios_table(runs: Sequence[Run]) -> Table:
    """The same by scenario (Tables 8 and 9)."""
    columns, rows = _score_rows(runs, "scenario", ())
    return Table("Scores by scenario (Tables 8, 9)", columns, rows)


def _score_rows(
    runs: Sequence[Run], label: str, order: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    groups = {run.name: _by_split(run.trials, label, order) for run in runs}
    names = list(dict.fromkeys(name for each in groups.values() for name in each))
    rows: list[tuple[Cell, ...]] = []
    for grading, (name, bound) in product(GRADINGS, BOUNDS.items()):
        places = ranks([-_total(run.trials, grading, bound) for run in runs])
        for run, rank in zip(runs, places, strict=True):
            shown = (groups[run.name].get(group, []) for group in names)
            cells = chain.from_iterable(_score_cells(group, grading, bound) for group in shown)
            rows.append((grading, name, run.name, rank, *cells))
    scores = (f"{name} {tree}" for name in names for tree in ("SQL", "Exec"))
    return ("Grading", "Bound", "Run", "Rank", *scores), tuple(rows)


def _by_split(
    trials: Sequence[CohortTrial], label: str, order: Sequence[str]
) -> dict[str, list[CohortTrial]]:
    """Trials by split and label, then by split; by label only where no split is known."""
    by_split: dict[str, list[CohortTrial]] = {}
    for split in SPLITS:
        of_split = [trial for trial in trials if trial.labels.get("split") == split]
        if of_split:
            groups = label_groups(of_split, label, order)
            by_split |= {f"{split} {name}": group for name, group in groups.items()}
    return by_split or label_groups(trials, label, order)


def _total(trials: Sequence[CohortTrial], grading: str, bound: Bound) -> float:
    """The mean SQL score and the mean execution score, added; 0 without trials."""
    scores = [(each.measures.sql[grading], each.measures.results[grading]) for each in trials]
    return sum(fmean(map(bound, each)) for each in zip(*scores, strict=True))


def _score_cells(
    trials: Sequence[CohortTrial], grading: str, bound: Bound
) -> tuple[float | None, ...]:
    if not trials:
        return tuple(None for _ in TREES)
    measures = [trial.measures for trial in trials]
    return (
        mean_score([each.sql[grading] for each in measures], bound),
        mean_score([each.results[grading] for each in measures], bound),
    )


def _settings_table(runs: Sequence[Run]) -> Table:
    """The models of runs with their settings, as `run.json` has them (Table 7)."""
    rows = tuple((run.name, *_model_cells(run.settings)) for run in runs)
    columns = ("Run", "Agent", "Model", "Temperature", "Reasoning effort", "Regime", "Judge")
    return Table("Models (Table 7)", columns, rows)


def _model_cells(settings: Settings) -> tuple[Cell, ...]:
    models = settings.get("models", {})
    agent, judge = models.get("agent") or {}, models.get("judge") or {}
    return (
        settings.get("agent", ""),
        agent.get("name", ""),
        agent.get("temperature"),
        agent.get("reasoning_effort") or "",
        settings.get("regime", ""),
        judge.get("name", ""),
    )


def _attempts_table(runs: Sequence[Run]) -> Table:
    """Success by attempt and scenario, a row for each run (Tables 10 to 12)."""
    groups = {run.name: label_groups(run.trials, "scenario") for run in runs}
    names = list(dict.fromkeys(name for each in groups.values() for name in each))
    rows = tuple(
        (run, *chain.from_iterable(success_shares(each.get(name, [])) for name in names))
        for run, each in groups.items()
    )
    parts = ("A1", "A2", "A3", "success")
    columns = ("Run", *(f"{name} {part}" for name in names for part in parts))
    return Table("Execution success by attempt (Tables 10 to 12)", columns, rows)


def _paired_table(runs: Sequence[Run]) -> Table:
    """Differences of runs on their common items, with bootstrap intervals over items."""
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(runs, 2) if len(runs) <= _MOST_PAIRED else ():
        for grading in (STRICT, PAPER):
            pairs = _common_items(first.trials, second.trials, grading)
            rows.append((first.name, second.name, grading, len(pairs), *_differences(pairs)))
    columns = ("Run", "Less", "Grading", "Items", *figure_columns("SQL"), *figure_columns("Exec"))
    note = "Percentage points with 95% bootstrap intervals over items that both decided."
    return Table("Runs by item", columns, tuple(rows), note)


def _common_items(
    first: Sequence[CohortTrial], second: Sequence[CohortTrial], grading: str
) -> list[tuple[ItemScore, ItemScore]]:
    """The scores of the items that both decided, in the order of the first."""
    others = {score.item: score for score in item_scores(second, grading)}
    scores = item_scores(first, grading)
    return [(score, others[score.item]) for score in scores if score.item in others]


def _differences(pairs: Sequence[tuple[ItemScore, ItemScore]]) -> tuple[Cell, ...]:
    """The mean differences of both scores, the first less the second, with their intervals."""
    if not pairs:
        return tuple(None for _ in TREES for _ in figure_columns(""))
    rows = [(one.sql - other.sql, one.results - other.results) for one, other in pairs]
    means = [fmean(column) for column in zip(*rows, strict=True)]
    return tuple(chain.from_iterable(map(figure_cells, means, mean_intervals(rows))))


def regimes_table(runs: Sequence[Run]) -> Table:
    """Changes by each regime against `cot`, for systems that ran in both (Table 5)."""
    rows: list[tuple[Cell, ...]] = []
    for name, by_regime in _by_system(runs).items():
        base = by_regime.get(_BASE)
        for regime, trials in by_regime.items():
            if base is not None and regime != _BASE:
                rows += [(name, regime, *cells) for cells in _changes(base, trials)]
    columns = ("System", "Regime", "Level", "Items")
    figures = (*figure_columns("SQL less cot"), *figure_columns("Exec less cot"))
    note = "Percentage points in `paper`, with 95% bootstrap intervals over common items."
    return Table("Regimes against cot (Table 5)", (*columns, *figures), tuple(rows), note)


def _by_system(runs: Sequence[Run]) -> dict[str, dict[str, Sequence[CohortTrial]]]:
    return {
        name: {str(run.settings.get("regime", _BASE)): run.trials for run in group}
        for name, group in grouped_by(runs, lambda run: run.system).items()
    }


def _changes(base: Sequence[CohortTrial], trials: Sequence[CohortTrial]) -> list[tuple[Cell, ...]]:
    levels = {trial.record.task: trial.labels.get("level", "") for trial in trials}
    pairs = _common_items(trials, base, PAPER)
    rows: list[tuple[Cell, ...]] = []
    for level in (*LEVELS, ALL):
        chosen = [pair for pair in pairs if level in (ALL, levels[pair[0].item])]
        if chosen:
            rows.append((level, len(chosen), *_differences(chosen)))
    return rows


def regime_figures(runs: Sequence[Run]) -> dict[str, Figure]:
    """Execution and SQL scores of each system by regime, on validation items if there are any."""
    systems = _by_system(runs)
    if all(len(regimes) < 2 for regimes in systems.values()):
        return {}
    means = {
        name: {regime: _means(trials) for regime, trials in regimes.items()}
        for name, regimes in systems.items()
    }
    return {
        "figure_21": _bars("Execution score by regime (Figures 5, 21)", means, 1),
        "figure_22": _bars("SQL score by regime (Figure 22)", means, 0),
    }


def _means(trials: Sequence[CohortTrial]) -> tuple[float | None, float | None]:
    validation = [trial for trial in trials if trial.labels.get("split") == "validation"]
    scores = item_scores(validation or trials, PAPER)
    if not scores:
        return None, None
    sql, results = fmean(s.sql for s in scores), fmean(s.results for s in scores)
    return round(100 * sql, 1), round(100 * results, 1)


def _bars(
    title: str, means: Mapping[str, Mapping[str, tuple[float | None, float | None]]], tree: int
) -> Bars:
    regimes = [each for each in _REGIMES if any(each in by_regime for by_regime in means.values())]
    missing = (None, None)
    series = {
        _REGIMES[regime]: tuple(
            by_regime.get(regime, missing)[tree] for by_regime in means.values()
        )
        for regime in regimes
    }
    return Bars(title, "System", "score, %", tuple(means), series)
