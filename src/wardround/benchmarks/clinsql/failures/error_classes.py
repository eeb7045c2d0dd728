"""Classes of errors: the paper's three, and more, by the leaves that a trial fails (5.3)."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from wardround.benchmarks.clinsql.items.item import TREES, CohortGold, Tree, leaf_item
from wardround.scoring.rubrics.tree import RubricNode

EXECUTION = "execution error"
COHORT = "cohort specification and coding"
OUTPUT = "output schema and formatting"
AGGREGATION = "aggregation and clinical statistics"
TIME = "time boundary"
QUANTILE = "quantile"
OTHER = "other"
CLASSES = (EXECUTION, COHORT, OUTPUT, AGGREGATION, TIME, QUANTILE, OTHER)

_SECTIONS = {
    COHORT: re.compile(r"cohort|concept|integration|coding|population|patient|filter|join|table"),
    AGGREGATION: re.compile(r"analytic|aggregat|statistic|calculation|metric|measure|comput"),
}
_QUANTILE = re.compile(r"\b(quantile|percentile|quartile|median|interquartile|iqr|ntile)", re.I)
_TIME = re.compile(
    r"\b(window|within|first \d+|hours?|days? (of|after|before)|between .*time)", re.I
)
# Classes of checks by their kind, where a task brings its own.
_CHECKS = {
    "window": TIME,
    **dict.fromkeys(("sex", "age", "tables", "join", "codes", "items", "drugs", "cohort"), COHORT),
    **dict.fromkeys(("measure", "group_by", "rounding", "distinct", "not_null"), AGGREGATION),
}


def failed_by_class(
    gold: CohortGold,
    failed: Iterable[str],
    ran: bool,
    classed: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, list[str]]:
    """The failed leaves' items by class of error; a query that failed is an execution error.

    Args:
        gold: the item's rubrics and checks.
        failed: items of the failed leaves.
        ran: whether the last query ran and gave rows.
        classed: the classes that a classifier gave to leaves which no rule classes, by item.
    """
    wanted = set(failed)
    by_class: dict[str, list[str]] = {} if ran else {EXECUTION: []}
    for item, by_rule in _classes(gold):
        if item in wanted:
            name = classed.get(item, OTHER) if by_rule == OTHER else by_rule
            by_class.setdefault(name if ran else EXECUTION, []).append(item)
    return {name: by_class[name] for name in CLASSES if name in by_class}


def unclassed_leaves(gold: CohortGold, failed: Collection[str]) -> list[RubricNode]:
    """The leaves of the SQL rubric among failed items that no rule classes."""
    other = {item for item, name in _classes(gold) if name == OTHER and item in failed}
    return [leaf for leaf in gold.sql_rubric.leaves() if leaf_item("sql", leaf.id) in other]


def main_class(gold: CohortGold, failed: Mapping[str, list[str]]) -> str:
    """The class whose failed leaves weigh most, the first of equals; "" if nothing failed.

    Both rubrics weigh the same, and a leaf has its part of its section's weight. Values of a result
    follow from its query, so that they count only where nothing else failed.
    """
    if EXECUTION in failed:
        return EXECUTION
    weights = leaf_weights(gold)

    def weight(name: str) -> tuple[float, int]:
        return sum(weights.get(item, 0.0) for item in failed[name]), len(failed[name])

    return max((name for name in CLASSES if failed.get(name)), key=weight, default="")


def leaf_weights(gold: CohortGold) -> dict[str, float]:
    """The weight of each leaf among those of its rubric, by item; 0 for a result's values."""
    weights: dict[str, float] = {}
    for tree in TREES:
        root = gold.rubric(tree)
        total = sum(section.weight for section in root.children) or 1
        for section in root.children:
            counts = tree == "sql" or _is_format(section)
            leaves = list(section.leaves())
            each = section.weight / total / len(leaves) if counts else 0.0
            weights.update((leaf_item(tree, leaf.id), each) for leaf in leaves)
    return weights


def _is_format(section: RubricNode) -> bool:
    return "format" in f"{section.id} {section.requirement}".lower()


def _classes(gold: CohortGold) -> Iterator[tuple[str, str]]:
    for section in gold.sql_rubric.children:
        for leaf in section.leaves():
            item = leaf_item("sql", leaf.id)
            yield item, _sql_class(section, leaf, gold.checks.get(item))
    results: Tree = "results"
    for leaf in gold.results_rubric.leaves():
        yield leaf_item(results, leaf.id), OUTPUT


def _sql_class(section: RubricNode, leaf: RubricNode, check: Any) -> str:
    if _QUANTILE.search(leaf.requirement):
        return QUANTILE
    kind = check.get("kind") if isinstance(check, Mapping) else None
    if kind in _CHECKS:
        return _CHECKS[kind]
    if _TIME.search(leaf.requirement):
        return TIME
    named = f"{section.id} {section.requirement}".lower()
    classes = (name for name, pattern in _SECTIONS.items() if pattern.search(named))
    return next(classes, OTHER)
