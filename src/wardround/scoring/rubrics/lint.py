"""Finds faults of a rubric: duplicate ids, weights out of range, flags without effect."""

from collections import Counter
from collections.abc import Iterator

from wardround.scoring.rubrics.reader import RubricProblem
from wardround.scoring.rubrics.tree import RubricNode

WEIGHTS = range(1, 4)  # 1 supportive, 2 standard, 3 essential (N.4.2)


def rubric_problems(root: RubricNode) -> list[RubricProblem]:
    """The faults of a tree, in tree order.

    Flags are checked by the published rule: below a sequential parent no critical flag counts, and
    a leaf cannot be sequential.

    >>> [p.fault for p in rubric_problems(RubricNode("root", "Root", children=(RubricNode("a"),)))]
    ['it has no requirement']
    """
    return [*_shared_ids(root), *_root_flags(root), *_below(root)]


def _shared_ids(root: RubricNode) -> Iterator[RubricProblem]:
    for id, count in Counter(node.id for node in root.nodes()).items():
        if count > 1:
            yield RubricProblem(id, f"its id stands {count} times in the tree", fatal=True)


def _root_flags(root: RubricNode) -> Iterator[RubricProblem]:
    if root.is_leaf:
        yield RubricProblem(root.id, "it is a root without requirements", fatal=True)
    if root.critical:
        yield RubricProblem(root.id, "it is critical without effect: a root has no parent")


def _below(node: RubricNode) -> Iterator[RubricProblem]:
    if node.children and all(child.weight == 0 for child in node.children):
        yield RubricProblem(node.id, "all its weights are 0, so it always scores 1", fatal=True)
    for child in node.children:
        yield from _node_problems(node, child)
        yield from _below(child)


def _node_problems(parent: RubricNode, node: RubricNode) -> Iterator[RubricProblem]:
    if not node.requirement:
        yield RubricProblem(node.id, "it has no requirement", fatal=node.is_leaf)
    if node.weight not in WEIGHTS:
        yield RubricProblem(node.id, f"its weight {node.weight} is not 1, 2 or 3")
    if node.critical and parent.sequential:
        yield RubricProblem(node.id, "it is critical without effect: its parent is sequential")
    if node.critical and not parent.sequential and node.weight != 1:
        yield RubricProblem(node.id, "its weight has no effect: it is critical")
    if node.sequential and node.is_leaf:
        yield RubricProblem(node.id, "it is sequential without effect: it is a leaf")
    if node.scoring and node.children:
        yield RubricProblem(node.id, "its scoring has no effect: it is a group")
