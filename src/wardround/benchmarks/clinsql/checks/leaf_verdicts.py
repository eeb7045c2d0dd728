"""Verdicts on the leaves of an item: their sources, and which of several a grading uses."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from wardround.benchmarks.clinsql.declaration import STRICT
from wardround.benchmarks.clinsql.items.item import TREES
from wardround.benchmarks.kit.checks import best_verdict
from wardround.benchmarks.kit.groups import grouped_by
from wardround.core.verdict import Verdict, program_source

CHECKS = program_source("checks")
JUDGE = "model:judge"
# The class of error of a failed leaf: items CLASS + TREE:LEAF, with the class as their reason.
CLASSIFIER, CLASS = "model:classifier", "class:"
# The outcome of the submitted query: passed if it gave rows.
QUERY = "query"
RAN = program_source("query")
# The whole result beside the gold's, of tasks that wardround made.
RESULT = "result"
COMPARED = program_source("result")
# The beginning of the reason of a leaf whose value band is the gold's result on this database.
REBASED = "band of the gold's result on this database"
# Items of measures that stand beside the scores, with their names; their points are the values.
PRECISION, RECALL, EX = "cohort:precision", "cohort:recall", "ex"
MEASURES = {PRECISION: "precision", RECALL: "recall", EX: "ex"}
# The beginning of the reason of a leaf whose judge answered in no form but with a 1.
UNREADABLE_ONE = "unreadable, contains 1"

Kind = Literal["program", "person", "model", "file"]
# Format gates are checked in `strict`, so programs come first there; as published a judge decides.
_STRICT_ORDER: tuple[Kind, ...] = ("program", "person", "model", "file")
_PAPER_ORDER: tuple[Kind, ...] = ("file", "model", "person", "program")


def chosen(verdicts: Sequence[Verdict], grading: str) -> dict[str, Verdict]:
    """The verdict on each item that a grading uses, by item.

    A decided one comes before an undecided one; then the order of sources decides.
    """
    order = _STRICT_ORDER if grading == STRICT else _PAPER_ORDER
    by_item = grouped_by(verdicts, lambda verdict: verdict.item)
    return {item: best_verdict(group, order) for item, group in by_item.items()}


def failed_items(verdicts: Sequence[Verdict]) -> list[str]:
    """The items of the leaves that fail in `strict`."""
    best = chosen(verdicts, STRICT)
    return [
        item
        for item, verdict in best.items()
        if verdict.state == "failed" and item.partition(":")[0] in TREES
    ]


def error_classes(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """The class of error of each failed leaf that a classifier classed, by the leaf's item."""
    return {
        verdict.item.removeprefix(CLASS): verdict.reason
        for verdict in verdicts
        if verdict.item.startswith(CLASS) and verdict.passed
    }


def decided(best: Mapping[str, Verdict], items: Iterable[str]) -> dict[str, bool]:
    """True or False for each of the items that has a decided verdict."""
    return {
        item: best[item].passed
        for item in items
        if item in best and best[item].state != "undecided"
    }
