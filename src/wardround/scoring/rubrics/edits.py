"""Changes of rubric trees: add, delete, duplicate and move nodes, named by their place.

A place is the path of positions from the root, such as (0, 2); () is the root.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from wardround.core.errors import UserError
from wardround.scoring.rubrics.tree import RubricNode

Place: TypeAlias = tuple[int, ...]
_Siblings: TypeAlias = tuple[RubricNode, ...]


def add_node(root: RubricNode, path: Place) -> RubricNode:
    """Adds an empty leaf as the last child of the node at a place.

    >>> add_node(RubricNode("root"), ()).children[0].id
    'node-1'
    """
    leaf = RubricNode(_free_id("node-{}", root), scoring="1/0")
    return _changed(root, path, lambda node: replace(node, children=(*node.children, leaf)))


def delete_node(root: RubricNode, path: Place) -> RubricNode:
    """Deletes the node at a place and all below it.

    Raises:
        UserError: It is the root.
    """
    return _with_siblings(root, path, lambda nodes, at: (*nodes[:at], *nodes[at + 1 :]))


def duplicate_node(root: RubricNode, path: Place) -> RubricNode:
    """Puts a copy of the node at a place after it; its nodes get new ids.

    Raises:
        UserError: It is the root.
    """
    used_ids = {node.id for node in root.nodes()}

    def copied(nodes: _Siblings, at: int) -> _Siblings:
        return (*nodes[: at + 1], _renamed(nodes[at], used_ids), *nodes[at + 1 :])

    return _with_siblings(root, path, copied)


def move_node(root: RubricNode, path: Place, by: int) -> RubricNode:
    """Moves the node at a place among its siblings, as far as there are any.

    Raises:
        UserError: It is the root.
    """

    def shifted(nodes: _Siblings, at: int) -> _Siblings:
        rest = [*nodes[:at], *nodes[at + 1 :]]
        rest.insert(max(at + by, 0), nodes[at])
        return tuple(rest)

    return _with_siblings(root, path, shifted)


def indent_node(root: RubricNode, path: Place) -> RubricNode:
    """Makes the node at a place the last child of the sibling before it.

    Raises:
        UserError: It is the root, or the first of its siblings.
    """
    if not path or path[-1] == 0:
        raise UserError("There is no node before it that it could go into.")

    def indented(nodes: _Siblings, at: int) -> _Siblings:
        group = replace(nodes[at - 1], children=(*nodes[at - 1].children, nodes[at]), scoring="")
        return (*nodes[: at - 1], group, *nodes[at + 1 :])

    return _with_siblings(root, path, indented)


def outdent_node(root: RubricNode, path: Place) -> RubricNode:
    """Puts the node at a place after its parent.

    Raises:
        UserError: It is the root or one of its children.
    """
    if len(path) < 2:
        raise UserError("It is at the top already.")
    node = root
    for position in path:
        node = _child(node, position)

    def after(nodes: _Siblings, at: int) -> _Siblings:
        return (*nodes[: at + 1], node, *nodes[at + 1 :])

    return _with_siblings(delete_node(root, path), path[:-1], after)


def _with_siblings(
    root: RubricNode, path: Place, make: Callable[[_Siblings, int], _Siblings]
) -> RubricNode:
    """The tree with other nodes in the group of the node at a place."""
    if not path:
        raise UserError("The root of a rubric stays where it is.")

    def changed(parent: RubricNode) -> RubricNode:
        _child(parent, path[-1])
        return replace(parent, children=make(parent.children, path[-1]))

    return _changed(root, path[:-1], changed)


def _changed(node: RubricNode, path: Place, make: Callable[[RubricNode], RubricNode]) -> RubricNode:
    if not path:
        return make(node)
    at = path[0]
    child = _changed(_child(node, at), path[1:], make)
    return replace(node, children=(*node.children[:at], child, *node.children[at + 1 :]))


def _child(node: RubricNode, position: int) -> RubricNode:
    if not 0 <= position < len(node.children):
        raise UserError("The rubric has no node there; load the page again.")
    return node.children[position]


def _renamed(node: RubricNode, used_ids: set[str]) -> RubricNode:
    number = 2
    while (id := f"{node.id}-{number}") in used_ids:
        number += 1
    used_ids.add(id)
    children = tuple(_renamed(child, used_ids) for child in node.children)
    return replace(node, id=id, children=children)


def _free_id(pattern: str, root: RubricNode) -> str:
    used_ids, number = {node.id for node in root.nodes()}, 1
    while pattern.format(number) in used_ids:
        number += 1
    return pattern.format(number)
