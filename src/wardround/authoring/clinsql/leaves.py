"""Leaves of rubrics with their checks, put together into trees in the published form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wardround.benchmarks.clinsql.items.checks import LeafCheck
from wardround.scoring.rubrics.tree import RubricNode


@dataclass(frozen=True, slots=True)
class Leaf:
    """A requirement and the check that decides it."""

    id: str
    requirement: str
    check: LeafCheck
    critical: bool = False

    @property
    def node(self) -> RubricNode:
        """The leaf in a tree."""
        return RubricNode(self.id, self.requirement, critical=self.critical, scoring="1/0")


@dataclass(frozen=True, slots=True)
class Group:
    """A heading over leaves or groups.

    Attributes:
        id: Its id in the published form.
        title: Its heading.
        parts: Leaves and groups, in order.
        weight: Its weight, which counts below the root only.
        sequential: True if its parts are judged up to the first that fails.
    """

    id: str
    title: str
    parts: Sequence["Leaf | Group"]
    weight: int = 1
    sequential: bool = False

    @property
    def node(self) -> RubricNode:
        """The group as a node with all below it; empty groups are left out."""
        filled = (part for part in self.parts if isinstance(part, Leaf) or part.parts)
        children = tuple(part.node for part in filled)
        return RubricNode(
            self.id, self.title, self.weight, sequential=self.sequential, children=children
        )

    @property
    def leaves(self) -> Iterable[Leaf]:
        """All leaves below it, in order."""
        for part in self.parts:
            yield from [part] if isinstance(part, Leaf) else part.leaves
