"""What entries of knowledge are built on, and which stand in the middle of a chain."""

from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter

from wardround.ehr.knowledge.model import KnowledgeBase


def cycle(base: KnowledgeBase) -> tuple[int, ...]:
    """Ids that are built on each other in a circle, the first again at the end; () if none are."""
    try:
        TopologicalSorter({entry.id: entry.children for entry in base}).prepare()
    except CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def in_order(base: KnowledgeBase) -> tuple[int, ...]:
    """All ids, each after those that it is built on.

    Children that are masked are left out.

    Raises:
        graphlib.CycleError: Entries are built on each other.
    """
    order = TopologicalSorter({entry.id: entry.children for entry in base}).static_order()
    return tuple(id for id in order if id in base.entries)


def needed(base: KnowledgeBase, ids: Collection[int]) -> tuple[int, ...]:
    """All that some entries are built on, however far down, and themselves; children first.

    Ids that the knowledge base does not have are left out.
    """
    found = _closure(_children(base), ids)
    return tuple(id for id in in_order(base) if id in found)


def between(base: KnowledgeBase) -> tuple[int, ...]:
    """The ids of chain nodes: built on an entry, and another is built on them.

    Masking one of them breaks a chain (BIRD-Interact, H.2); masking another is a gap of its own.
    """
    children, parents = _children(base), _parents(base)
    return tuple(id for id in base.entries if children[id] and parents[id])


def _children(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    return {e.id: tuple(child for child in e.children if child in base.entries) for e in base}


def _parents(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {id: [] for id in base.entries}
    for id, children in _children(base).items():
        for child in children:
            found[child].append(id)
    return {id: tuple(parents) for id, parents in found.items()}


def _closure(steps: dict[int, tuple[int, ...]], ids: Collection[int]) -> set[int]:
    found: set[int] = set()
    waiting = [id for id in ids if id in steps]
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(steps[id])
    return found
