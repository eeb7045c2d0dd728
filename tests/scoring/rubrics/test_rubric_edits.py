"""Changes of rubric trees, each as a line: the change, its place, and the tree after it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.scoring.rubrics.edits import (
    add_node,
    delete_node,
    duplicate_node,
    indent_node,
    move_node,
    outdent_node,
)
from wardround.scoring.rubrics.tree import RubricNode

TREE = RubricNode(
    "r",
    children=(
        RubricNode("a", children=(RubricNode("a1"), RubricNode("a2"))),
        RubricNode("b"),
    ),
)


def outline(node: RubricNode) -> str:
    inner = " ".join(map(outline, node.children))
    return f"{node.id}({inner})" if inner else node.id


CASES: list[tuple[Callable[..., Any], tuple[int, ...], str]] = [
    (add_node, (), "r(a(a1 a2) b node-1)"),
    (add_node, (1,), "r(a(a1 a2) b(node-1))"),
    (delete_node, (0, 0), "r(a(a2) b)"),
    (delete_node, (0,), "r(b)"),
    (duplicate_node, (0,), "r(a(a1 a2) a-2(a1-2 a2-2) b)"),
    (partial(move_node, by=1), (0,), "r(b a(a1 a2))"),
    (partial(move_node, by=-1), (0, 1), "r(a(a2 a1) b)"),
    (partial(move_node, by=-1), (0,), "r(a(a1 a2) b)"),
    (partial(move_node, by=1), (1,), "r(a(a1 a2) b)"),
    (indent_node, (1,), "r(a(a1 a2 b))"),
    (outdent_node, (0, 1), "r(a(a1) a2 b)"),
]


@for_each(CASES)
def test_a_change_gives_the_tree(
    change: Callable[..., RubricNode], place: tuple[int, ...], expected: str
) -> None:
    assert outline(change(TREE, place)) == expected


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (delete_node, ()),
        (duplicate_node, ()),
        (delete_node, (7,)),
        (add_node, (0, 9)),
        (indent_node, (0,)),
        (outdent_node, (1,)),
    ],
)
def test_a_place_that_cannot_be_is_refused(
    change: Callable[..., RubricNode], place: tuple[int, ...]
) -> None:
    with pytest.raises(UserError):
        change(TREE, place)
