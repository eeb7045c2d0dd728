"""Items: their sizes, their SQL and execution scores, and how far these diverge."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.clinsql.items.item import LEVELS, TREES, ClinTask, Tree
from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.benchmarks.kit.groups import Cell, grouped_by, label_groups
from wardround.benchmarks.kit.measures import Measured
from wardround.benchmarks.kit.tables import percent, size_table
from wardround.core.benchmark import Table
from wardround.scoring.rubrics.tree import RubricNode
from wardround.scoring.statistics.intervals import correlation, ranks

CohortTrial: TypeAlias = Measured[CohortMeasures]
LARGE_GAP = 0.2  # 20 points (Shen et al. 2026, M)
SAMPLED = 40
_FEWEST_TO_CORRELATE = 3
_RUBRIC_SIZES: dict[str, Callable[[RubricNode], float]] = {
    "nodes": lambda root: sum(1 for _ in root.nodes()),
    "leaves": lambda root: sum(1 for _ in root.leaves()),
    "depth": lambda root: root.levels,
    "words of a leaf": lambda root: round(
        fmean(len(leaf.requirement.split()) for leaf in root.leaves()), 2
    ),
}


def items_table(tasks: Sequence[ClinTask]) -> Table:
    """Mean and largest sizes of items, by level (Table 3)."""
    note = "A rubric's root has depth 1. Words are parted by blanks."
    return size_table("Items (Table 3)", label_groups(tasks, "level", LEVELS), _sizes(), note)


def _sizes() -> dict[str, Callable[[ClinTask], float]]:
    rubrics = {
        f"{tree} rubric: {name}": _of_rubric(tree, size)
        for tree in TREES
        for name, size in _RUBRIC_SIZES.items()
    }
    return {
        "question: words": lambda task: len(task.public.question.split()),
        "SQL: words": lambda task: len(task.hidden.sql.split()),
        "result: rows": lambda task: len(task.hidden.result.rows),
        "result: columns": lambda task: len(task.hidden.result.columns),
        **rubrics,
    }


def _of_rubric(tree: Tree, size: Callable[[RubricNode], float]) -> Callable[[ClinTask], float]:
    return lambda task: size(task.hidden.rubric(tree))


@dataclass(frozen=True, slots=True)
class ItemScore:
    """An item's scores from 0 to 1, means over its trials with all leaves decided."""

    item: str
    sql: float
    results: float

    @property
    def gap(self) -> float:
        """Execution score less SQL score."""
        return self.results - self.sql


def item_scores(trials: Sequence[CohortTrial], grading: str) -> list[ItemScore]:
    """The scores of items in a grading; trials whose scores are ranges are left out."""
    decided = [trial for trial in trials if _is_decided(trial, grading)]
    groups = grouped_by(decided, lambda trial: trial.record.task)
    return [
        ItemScore(
            item,
            fmean(trial.measures.sql[grading].low for trial in group),
            fmean(trial.measures.results[grading].low for trial in group),
        )
        for item, group in sorted(groups.items())
    ]


def correlations(scores: Sequence[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Pearson's and Spearman's correlation of pairs; None for fewer than three.

    >>> correlations([(0.1, 0.2), (0.3, 0.3), (0.4, 0.9)])
    (0.8358, 1.0)
    """
    if len(scores) < _FEWEST_TO_CORRELATE:
        return None, None
    xs, ys = [x for x, _ in scores], [y for _, y in scores]
    coefficients = correlation(xs, ys), correlation(ranks(xs), ranks(ys))
    pearson, spearman = (None if value is None else round(value, 4) for value in coefficients)
    return pearson, spearman


def divergence_table(runs: Mapping[str, Sequence[CohortTrial]], gradings: Sequence[str]) -> Table:
    """Correlation of SQL and execution score, and how many differ by 20 points (Table 15)."""
    rows: list[tuple[Cell, ...]] = []
    for grading in gradings:
        by_run = {name: item_scores(trials, grading) for name, trials in runs.items()}
        points = [score for scores in by_run.values() for score in scores]
        means = [
            (fmean(s.sql for s in scores), fmean(s.results for s in scores))
            for scores in by_run.values()
            if scores
        ]
        over_items = correlations([(s.sql, s.results) for s in points])
        rows.append((grading, *correlations(means), *over_items, len(points), *_gaps(points)))
    columns = (
        "Grading", "r over runs", "rho over runs", "r over items", "rho over items", "Points",
        "Gap >= 20", "Exec higher", "SQL higher",
    )  # fmt: skip
    note = (
        "Points are items of runs with every leaf decided. Exec higher and SQL higher are shares "
        "of those whose scores differ by at least 20 points, in percent."
    )
    return Table("SQL and execution score (Table 15)", columns, tuple(rows), note)


def diverging_sample(
    runs: Mapping[str, Sequence[CohortTrial]], grading: str, seed: int = 0
) -> Table:
    """A seeded sample of items whose two scores differ by 20 points, to inspect."""
    diverging = [
        (name, score)
        for name, trials in runs.items()
        for score in item_scores(trials, grading)
        if is_diverging(score)
    ]
    drawn = sorted(random.Random(seed).sample(range(len(diverging)), min(SAMPLED, len(diverging))))
    rows = tuple(
        (name, score.item, percent(score.sql), percent(score.results), percent(score.gap))
        for name, score in (diverging[at] for at in drawn)
    )
    columns = ("Run", "Item", "SQL", "Exec", "Exec less SQL")
    return Table(f"Items to inspect, {grading} (M)", columns, rows, "Percent.")


def is_diverging(score: ItemScore) -> bool:
    """True if an item's scores differ by at least 20 points."""
    return abs(score.gap) >= LARGE_GAP - 1e-9


def _gaps(points: Sequence[ItemScore]) -> tuple[Cell, ...]:
    diverging = [score for score in points if is_diverging(score)]
    if not diverging:
        return 0, None, None
    higher = sum(score.gap > 0 for score in diverging) / len(diverging)
    return len(diverging), percent(higher), percent(1 - higher)


def _is_decided(trial: CohortTrial, grading: str) -> bool:
    scores = trial.measures.sql[grading], trial.measures.results[grading]
    return all(score.low == score.high for score in scores)
