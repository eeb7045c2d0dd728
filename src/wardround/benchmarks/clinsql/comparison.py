"""Comparison of runs: Tables 4, 7 to 12 and 15, Figures 5, 21 and 22, and pairs of runs."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from statistics import fmean
from typing import Any, TypeAlias

from wardround.benchmarks.clinsql.analysis.item_scores import (
    CohortTrial,
    ItemScore,
    divergence_table,
    diverging_sample,
    item_scores,
)
from wardround.benchmarks.clinsql.analysis.regimes import regime_figures, regimes_table
from wardround.benchmarks.clinsql.declaration import PAPER, STRICT
from wardround.benchmarks.clinsql.report import (
    BOUNDS,
    Bound,
    groups_of,
    mean_score,
    success_shares,
)
from wardround.benchmarks.clinsql.scorer import GRADINGS, CohortMeasures
from wardround.benchmarks.clinsql.tasks import LEVELS, SPLITS
from wardround.benchmarks.kit.figures import table_of
from wardround.benchmarks.kit.groups import Cell, Trials
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.run_names import distinct_names, system
from wardround.benchmarks.kit.tables import figure_cells, figure_columns
from wardround.core.benchmark import Summary, Table
from wardround.scoring.statistics import mean_intervals, ranks

Settings: TypeAlias = Mapping[str, Any]
Named: TypeAlias = Mapping[str, Sequence[CohortTrial]]
_MOST_PAIRED = 8  # runs; every pair is a row
_NOTE = (
    "Percent, means over trials. Lower counts undecided leaves as failed, upper as passed. Ranks "
    "share ties and are by the mean of both scores."
)


def compare(runs: Sequence[tuple[Settings, Trials]]) -> Summary:
    """The paper's tables over several runs, a row or column for each."""
    settings = [run for run, _ in runs]
    scored = (measured_in_bounds(trials, CohortMeasures) for _, trials in runs)
    named = dict(zip(names_of(settings), scored, strict=True))
    regimes = regimes_table(list(zip(settings, named.values(), strict=True)))
    figures = regime_figures(list(zip(settings, named.values(), strict=True)))
    tables = {
        "table_4": levels_table(named),
        "table_7": settings_table(dict(zip(named, settings, strict=True))),
        "table_8_9": scenarios_table(named),
        "table_10_12": attempts_table(named),
        "table_15": divergence_table(named, (STRICT, PAPER)),
        "diverging": diverging_sample(named, PAPER),
        "paired": paired_table(named),
        "regimes": regimes,
        **{name: table_of(figure) for name, figure in figures.items()},
    }
    return Summary({name: table for name, table in tables.items() if table.rows}, figures)


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


def levels_table(runs: Named) -> Table:
    """SQL and execution score by split and level, a row for each run and grading (Table 4)."""
    columns, rows = _score_rows(runs, "level", LEVELS)
    return Table(
        "SQL and execution score (Table 4)",
        ("Grading", "Bound", "Run", "Rank", *columns),
        rows,
        _NOTE,
    )


def scenarios_table(runs: Named) -> Table:
    """The same by scenario (Tables 8 and 9)."""
    columns, rows = _score_rows(runs, "scenario", ())
    return Table(
        "Scores by scenario (Tables 8, 9)", ("Grading", "Bound", "Run", "Rank", *columns), rows
    )


def settings_table(runs: Mapping[str, Settings]) -> Table:
    """The models of runs with their settings, as `run.json` has them (Table 7)."""
    rows = tuple((name, *_model_cells(run)) for name, run in runs.items())
    columns = ("Run", "Agent", "Model", "Temperature", "Reasoning effort", "Regime", "Judge")
    return Table("Models (Table 7)", columns, rows)


def attempts_table(runs: Named) -> Table:
    """Success by attempt and scenario, a row for each run (Tables 10 to 12)."""
    names = list(
        dict.fromkeys(n for trials in runs.values() for n in groups_of(trials, "scenario"))
    )
    parts = ("A1", "A2", "A3", "success")
    rows: list[tuple[Cell, ...]] = []
    for run, trials in runs.items():
        groups = groups_of(trials, "scenario")
        shares = [success_shares(groups.get(name, [])) for name in names]
        rows.append((run, *(cell for group in shares for cell in group)))
    columns = ("Run", *(f"{name} {part}" for name in names for part in parts))
    return Table("Execution success by attempt (Tables 10 to 12)", columns, tuple(rows))


def paired_table(runs: Named) -> Table:
    """Differences of runs on their common items, with bootstrap intervals over items."""
    rows: list[tuple[Cell, ...]] = []
    pairs = combinations(runs, 2) if len(runs) <= _MOST_PAIRED else ()
    for first, second in pairs:
        for grading in (STRICT, PAPER):
            cells = _paired(item_scores(runs[first], grading), item_scores(runs[second], grading))
            rows.append((first, second, grading, *cells))
    columns = ("Run", "Less", "Grading", "Items", *figure_columns("SQL"), *figure_columns("Exec"))
    note = "Percentage points with 95% bootstrap intervals over items that both decided."
    return Table("Runs by item", columns, tuple(rows), note)


def _paired(first: Sequence[ItemScore], second: Sequence[ItemScore]) -> tuple[Cell, ...]:
    others = {score.item: score for score in second}
    pairs = [(score, others[score.item]) for score in first if score.item in others]
    differences = [(a.sql - b.sql, a.results - b.results) for a, b in pairs]
    if not differences:
        return (0, *[None] * 6)
    means = [fmean(column) for column in zip(*differences, strict=True)]
    figures = map(figure_cells, means, mean_intervals(differences))
    return (len(pairs), *(cell for cells in figures for cell in cells))


def _score_rows(
    runs: Named, label: str, order: Sequence[str]
) -> tuple[list[str], tuple[tuple[Cell, ...], ...]]:
    groups = {run: _by_split(trials, label, order) for run, trials in runs.items()}
    names = list(dict.fromkeys(name for each in groups.values() for name in each))
    columns = [f"{name} {tree}" for name in names for tree in ("SQL", "Exec")]
    rows: list[tuple[Cell, ...]] = []
    for grading, (name, bound) in product(GRADINGS, BOUNDS.items()):
        means = {run: _means(trials, grading, bound) for run, trials in runs.items()}
        places = ranks([-sum(pair) for pair in means.values()])
        for (run, each), place in zip(groups.items(), places, strict=True):
            cells = [_cells(each.get(group, []), grading, bound) for group in names]
            rows.append((grading, name, run, place, *(cell for pair in cells for cell in pair)))
    return columns, tuple(rows)


def _by_split(
    trials: Sequence[CohortTrial], label: str, order: Sequence[str]
) -> dict[str, list[CohortTrial]]:
    """Trials by split and label, then by split; by label only where no split is known."""
    found: dict[str, list[CohortTrial]] = {}
    for split in SPLITS:
        of_split = [trial for trial in trials if trial.labels.get("split") == split]
        if of_split:
            groups = groups_of(of_split, label, order)
            found |= {f"{split} {name}": group for name, group in groups.items()}
    return found or groups_of(trials, label, order)


def _means(trials: Sequence[CohortTrial], grading: str, bound: Bound) -> tuple[float, float]:
    if not trials:
        return 0.0, 0.0
    measures = [trial.measures for trial in trials]
    return fmean(bound(m.sql[grading]) for m in measures), fmean(
        bound(m.results[grading]) for m in measures
    )


def _cells(
    trials: Sequence[CohortTrial], grading: str, bound: Bound
) -> tuple[float | None, float | None]:
    if not trials:
        return None, None
    measures = [trial.measures for trial in trials]
    return (
        mean_score([each.sql[grading] for each in measures], bound),
        mean_score([each.results[grading] for each in measures], bound),
    )


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
