"""Folds the verdicts on a rubric's leaves into scores from 0 to 1.

`published` is the rule of the published code, which reproduces every published score from the
published verdicts on leaves. `algorithm` is Algorithm 1 of the paper, taken literally (Shen et al.
2026, 3.3). A group whose weights are all 0 scores 1; the paper's rule divides by zero.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from wardround.scoring.rubrics.tree import RubricNode

Rule: TypeAlias = Literal["published", "algorithm"]
# Scores of all nodes by id, including the root.
NodeScores: TypeAlias = dict[str, float]
Scored: TypeAlias = tuple[RubricNode, float]
_Stop: TypeAlias = Callable[[RubricNode, float], bool]


def fold(root: RubricNode, leaves: Mapping[str, float], rule: Rule) -> NodeScores:
    """The score of every node.

    Args:
        root: The rubric.
        leaves: 0 or 1 by the id of a leaf; missing leaves count as 0.
        rule: The rule of folding scores.

    >>> leaves = (RubricNode("a"), RubricNode("b"))
    >>> fold(RubricNode("root", children=leaves), {"a": 1.0}, "published")["root"]
    0.5
    """
    group = _published if rule == "published" else _algorithm
    scores: NodeScores = {}

    def score(node: RubricNode) -> float:
        children = [(child, score(child)) for child in node.children]
        value = group(node, children) if children else leaves.get(node.id, 0.0)
        scores[node.id] = value
        return value

    score(root)
    return scores


def _published(node: RubricNode, children: list[Scored]) -> float:
    """A sequential parent ignores critical flags and stops at the first score below 1."""
    if node.sequential:
        return _mean(children, lambda child, score: score < 1)
    return _critical_first(children, lambda child, score: False)


def _algorithm(node: RubricNode, children: list[Scored]) -> float:
    """A sequential child stops its parent if it scores 0."""
    return _critical_first(children, lambda child, score: child.sequential and score == 0)


def _critical_first(children: list[Scored], stops: _Stop) -> float:
    if any(child.critical and score < 1 for child, score in children):
        return 0.0
    return _mean([pair for pair in children if not pair[0].critical], stops)


def _mean(children: Iterable[Scored], stops: _Stop) -> float:
    """The weighted mean of the scores up to and including the first that stops."""
    earned, total = 0.0, 0
    for child, score in children:
        earned += child.weight * score
        total += child.weight
        if stops(child, score):
            break
    return earned / total if total else 1.0
