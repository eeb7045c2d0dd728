"""Bounds of a rubric's scores while some of its leaves are undecided."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from wardround.scoring.rubrics.folds import Rule
from wardround.scoring.rubrics.tree import RubricNode


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of scores that a node can still reach.

    Attributes:
        low: The lowest score.
        high: The highest score.
        partial: The highest score below 1; None if the score is certainly 1.
    """

    low: float
    high: float
    partial: float | None

    @property
    def passes(self) -> bool:
        """True if the score is 1 for any verdicts on the undecided leaves."""
        return self.low == 1

    @property
    def fails(self) -> bool:
        """True if the score is below 1 for any verdicts on the undecided leaves."""
        return self.high < 1


PASSED = Bounds(1.0, 1.0, None)
FAILED = Bounds(0.0, 0.0, 0.0)
UNDECIDED = Bounds(0.0, 1.0, 0.0)
# A group's children with their bounds.
_Children: TypeAlias = list[tuple[RubricNode, Bounds]]
# Splits a child's scores into those at which its parent stops and those at which it goes on;
# either may be None.
_Split: TypeAlias = Callable[[RubricNode, Bounds], tuple[Bounds | None, Bounds | None]]


def score_bounds(root: RubricNode, leaves: Mapping[str, bool], rule: Rule) -> dict[str, Bounds]:
    """The bounds of every node by its id.

    Args:
        root: The rubric.
        leaves: True or False by the id of each decided leaf.
        rule: The rule of folding scores; see `wardround.scoring.rubrics.folds`.

    >>> children = (RubricNode("a"), RubricNode("b"))
    >>> score_bounds(RubricNode("root", children=children), {"a": True}, "published")["root"]
    Bounds(low=0.5, high=1.0, partial=0.5)
    """
    group = _published if rule == "published" else _algorithm
    by_node: dict[str, Bounds] = {}

    def bounds(node: RubricNode) -> Bounds:
        children = [(child, bounds(child)) for child in node.children]
        by_node[node.id] = group(node, children) if children else _leaf(leaves.get(node.id))
        return by_node[node.id]

    bounds(root)
    return by_node


def _leaf(passed: bool | None) -> Bounds:
    if passed is None:
        return UNDECIDED
    return PASSED if passed else FAILED


def _published(node: RubricNode, children: _Children) -> Bounds:
    if node.sequential:
        return _union(_means(children, _stops_below_one))
    return _critical_first(children, _never_stops)


def _algorithm(node: RubricNode, children: _Children) -> Bounds:
    return _critical_first(children, _stops_at_zero)


def _critical_first(children: _Children, split: _Split) -> Bounds:
    critical = [bounds for child, bounds in children if child.critical]
    if any(bounds.fails for bounds in critical):
        return FAILED
    others = _union(_means([pair for pair in children if not pair[0].critical], split))
    return others if all(bounds.passes for bounds in critical) else _union([FAILED, others])


def _never_stops(child: RubricNode, bounds: Bounds) -> tuple[None, Bounds]:
    return None, bounds


def _stops_below_one(child: RubricNode, bounds: Bounds) -> tuple[Bounds | None, Bounds | None]:
    below = None
    if bounds.partial is not None:
        below = Bounds(bounds.low, bounds.partial, bounds.partial)
    return below, None if bounds.fails else PASSED


def _stops_at_zero(child: RubricNode, bounds: Bounds) -> tuple[Bounds | None, Bounds | None]:
    if not child.sequential or bounds.low > 0:
        return None, bounds
    if bounds.high == 0:
        return FAILED, None
    # A leaf above 0 scores 1; for a group the lowest score above 0 is unknown.
    return FAILED, PASSED if child.is_leaf else bounds


def _means(children: _Children, split: _Split) -> Iterator[Bounds]:
    """The bounds of the weighted mean at each child where it may stop, and at the end."""
    reached: _Children = []
    for child, bounds in children:
        stopped, further = split(child, bounds)
        if stopped:
            yield _mean([*reached, (child, stopped)])
        if further is None:
            return
        reached.append((child, further))
    yield _mean(reached)


def _mean(children: _Children) -> Bounds:
    weighted = [(child.weight, bounds) for child, bounds in children if child.weight]
    total = sum(weight for weight, _ in weighted)
    if not total:
        return PASSED
    low = sum(weight * bounds.low for weight, bounds in weighted) / total
    highest = sum(weight * bounds.high for weight, bounds in weighted)
    if highest < total:
        return Bounds(low, highest / total, highest / total)
    lost = [weight * (1 - b.partial) for weight, b in weighted if b.partial is not None]
    return Bounds(low, 1.0, (total - min(lost)) / total if lost else None)


def _union(parts: Iterable[Bounds]) -> Bounds:
    merged = list(parts)
    partial = [bounds.partial for bounds in merged if bounds.partial is not None]
    return Bounds(
        min(bounds.low for bounds in merged),
        max(bounds.high for bounds in merged),
        max(partial, default=None),
    )
