"""Rubric trees as typed data."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.core.errors import UserError

MOST_LEVELS = 64  # published trees have at most 6


@dataclass(frozen=True, slots=True)
class RubricNode:
    """A node of a rubric: a requirement, or a group of them.

    Attributes:
        id: Its name, unique in the tree.
        requirement: A sentence that is true or false; for a group, its heading.
        weight: Its weight in its parent's score.
        sequential: True if a group's children are judged in order up to the first that fails.
        critical: True if its failure fails its parent.
        scoring: A remark on scoring, ignored by all rules.
        children: The group's nodes; empty for a leaf.
        levels: Number of levels from this node down, 1 for a leaf.

    Raises:
        UserError: The tree has more than `MOST_LEVELS` levels.
    """

    id: str
    requirement: str = ""
    weight: int = 1
    sequential: bool = False
    critical: bool = False
    scoring: str = ""
    children: tuple["RubricNode", ...] = ()
    levels: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        levels = 1 + max((child.levels for child in self.children), default=0)
        if levels > MOST_LEVELS:
            raise UserError(
                f"The rubric has more than {MOST_LEVELS} levels at {self.id!r}; flatten it."
            )
        object.__setattr__(self, "levels", levels)

    @property
    def is_leaf(self) -> bool:
        """True if the node has no children."""
        return not self.children

    def nodes(self) -> Iterator["RubricNode"]:
        """The node and all nodes below it, parents first."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def leaves(self) -> Iterator["RubricNode"]:
        """The leaves, in the order of the tree."""
        return (node for node in self.nodes() if node.is_leaf)
