"""Regimes beside each other: a model with and without reasoning or hints (Table 5, Figs 5, 21)."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, TypeAlias

from wardround.benchmarks.clinsql.analysis.item_scores import CohortTrial, ItemScore, item_scores
from wardround.benchmarks.clinsql.declaration import PAPER
from wardround.benchmarks.clinsql.tasks import LEVELS
from wardround.benchmarks.kit.groups import ALL, Cell, grouped_by
from wardround.benchmarks.kit.run_names import system
from wardround.benchmarks.kit.tables import figure_cells, figure_columns
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Figure
from wardround.scoring.statistics import mean_intervals

Run: TypeAlias = tuple[Mapping[str, Any], Sequence[CohortTrial]]
BASE = "cot"
_NAMES = {"cot": "CoT", "direct": "Direct", "hinted": "Hinted", "tools": "Tools"}


def regimes_table(runs: Sequence[Run]) -> Table:
    """Changes by each regime against `cot`, for systems that ran in both (Table 5)."""
    rows: list[tuple[Cell, ...]] = []
    for name, by_regime in _by_system(runs).items():
        base = by_regime.get(BASE)
        for regime, trials in by_regime.items():
            if base is not None and regime != BASE:
                rows += [(name, regime, *cells) for cells in _changes(base, trials)]
    columns = ("System", "Regime", "Level", "Items")
    figures = (*figure_columns("SQL less cot"), *figure_columns("Exec less cot"))
    note = "Percentage points in `paper`, with 95% bootstrap intervals over common items."
    return Table("Regimes against cot (Table 5)", (*columns, *figures), tuple(rows), note)


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


def _by_system(runs: Sequence[Run]) -> dict[str, dict[str, Sequence[CohortTrial]]]:
    groups = grouped_by(runs, lambda run: system(run[0]))
    return {
        name: {str(run.get("regime", BASE)): trials for run, trials in group}
        for name, group in groups.items()
    }


def _changes(base: Sequence[CohortTrial], trials: Sequence[CohortTrial]) -> list[tuple[Cell, ...]]:
    levels = {trial.record.task: trial.labels.get("level", "") for trial in trials}
    before = {score.item: score for score in item_scores(base, PAPER)}
    pairs = [(before[s.item], s) for s in item_scores(trials, PAPER) if s.item in before]
    rows: list[tuple[Cell, ...]] = []
    for level in (*LEVELS, ALL):
        chosen = [pair for pair in pairs if level in (ALL, levels[pair[1].item])]
        if chosen:
            rows.append((level, len(chosen), *_difference(chosen)))
    return rows


def _difference(pairs: Sequence[tuple[ItemScore, ItemScore]]) -> tuple[Cell, ...]:
    rows = [(after.sql - before.sql, after.results - before.results) for before, after in pairs]
    means = [fmean(column) for column in zip(*rows, strict=True)]
    figures = map(figure_cells, means, mean_intervals(rows))
    return tuple(cell for cells in figures for cell in cells)


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
    regimes = [each for each in _NAMES if any(each in by_regime for by_regime in means.values())]
    missing = (None, None)
    series = {
        _NAMES[regime]: tuple(by_regime.get(regime, missing)[tree] for by_regime in means.values())
        for regime in regimes
    }
    return Bars(title, "System", "score, %", tuple(means), series)
