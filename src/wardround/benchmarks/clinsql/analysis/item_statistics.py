"""Statistics of items: rubric sizes, words, tables and functions of SQL (Table 3)."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.clinsql.tasks import LEVELS, TREES, ClinTask, Tree
from wardround.benchmarks.kit.groups import ALL, Cell
from wardround.core.benchmark import Table
from wardround.scoring.rubrics.tree import RubricNode

Figure: TypeAlias = Callable[[ClinTask], float]


def statistics_table(tasks: Sequence[ClinTask]) -> Table:
    """Mean and largest figures of items, by level (Table 3)."""
    groups = {level: [t for t in tasks if t.labels.get("level") == level] for level in LEVELS}
    shown = {**{name: group for name, group in groups.items() if group}, ALL: list(tasks)}
    counts: tuple[Cell, ...] = tuple(len(group) for group in shown.values())
    rows: list[tuple[Cell, ...]] = [("items", "", *counts)]
    for name, figure in _figures().items():
        found = [[figure(task) for task in group] for group in shown.values()]
        rows.append((name, "mean", *(round(fmean(values), 2) for values in found)))
        rows.append((name, "most", *(max(values) for values in found)))
    note = "A rubric's root has depth 1. Words are parted by blanks."
    return Table("Items (Table 3)", ("Figure", "", *shown), tuple(rows), note)


def _figures() -> dict[str, Figure]:
    rubrics = {
        f"{tree} rubric: {name}": _of_rubric(tree, size)
        for tree in TREES
        for name, size in _SIZES.items()
    }
    return {
        "question: words": lambda task: len(task.public.question.split()),
        "SQL: words": lambda task: len(task.hidden.sql.split()),
        "result: rows": lambda task: len(task.hidden.result.rows),
        "result: columns": lambda task: len(task.hidden.result.columns),
        **rubrics,
    }


_SIZES: dict[str, Callable[[RubricNode], float]] = {
    "nodes": lambda root: sum(1 for _ in root.nodes()),
    "leaves": lambda root: sum(1 for _ in root.leaves()),
    "depth": lambda root: root.levels,
    "words of a leaf": lambda root: round(
        fmean(len(leaf.requirement.split()) for leaf in root.leaves()), 2
    ),
}


def _of_rubric(tree: Tree, size: Callable[[RubricNode], float]) -> Figure:
    return lambda task: size(task.hidden.rubric(tree))
