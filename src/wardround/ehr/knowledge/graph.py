"""What entries of knowledge are built on: orders, chains, and what a mask takes with it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
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


def dependents(base: KnowledgeBase, ids: Collection[int]) -> tuple[int, ...]:
    """All that is built on some entries, however far up, without themselves; children first."""
    found = _closure(_parents(base), ids) - set(ids)
    return tuple(id for id in in_order(base) if id in found)


def chains(base: KnowledgeBase) -> Iterator[tuple[int, ...]]:
    """Each way from an entry that nothing is built on down to one that is built on nothing.

    There can be very many of them; they come one at a time.
    """
    children = _children(base)
    ways: list[tuple[int, ...]] = [(id,) for id in reversed(_roots(base))]
    while ways:
        way = ways.pop()
        below = children[way[-1]]
        ways.extend((*way, child) for child in reversed(below))
        if not below and len(way) > 1:
            yield way


def depths(base: KnowledgeBase) -> dict[int, int]:
    """How many steps the longest way down from each entry has: 0 where it stands alone."""
    children = _children(base)
    found: dict[int, int] = {}
    for id in in_order(base):
        found[id] = 1 + max((found[child] for child in children[id]), default=-1)
    return found


def between(base: KnowledgeBase) -> tuple[int, ...]:
    """The ids of chain nodes: built on an entry, and another is built on them.

    Masking one of them breaks a chain (BIRD-Interact, H.2); masking another is a gap of its own.
    """
    children, parents = _children(base), _parents(base)
    return tuple(id for id in base.entries if children[id] and parents[id])


@dataclass(frozen=True, slots=True)
class Gap:
    """What a mask does to the rest of a knowledge base.

    Attributes:
        masked: The ids that are masked.
        undefined: Visible entries that cannot be worked out: they need a masked one.
        unreachable: Visible entries to which no visible way from an entry at the top leads any
            more; they can still be found by name.
    """

    masked: tuple[int, ...]
    undefined: tuple[int, ...]
    unreachable: tuple[int, ...]


def gap(base: KnowledgeBase, masked: Collection[int]) -> Gap:
    """What becomes of a knowledge base when some of its entries are masked.

    Raises:
        KeyError: An id is no entry's.
    """
    for id in masked:
        base.entries[id]
    left = base.without(masked)
    tops = [id for id in _roots(base) if id not in masked]
    reached = _closure(_children(left), tops)
    return Gap(
        masked=tuple(id for id in base.entries if id in masked),
        undefined=tuple(id for id in dependents(base, masked) if id not in masked),
        unreachable=tuple(id for id in left.entries if id not in reached),
    )


def _children(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    return {e.id: tuple(child for child in e.children if child in base.entries) for e in base}


def _parents(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {id: [] for id in base.entries}
    for id, children in _children(base).items():
        for child in children:
            found[child].append(id)
    return {id: tuple(parents) for id, parents in found.items()}


def _roots(base: KnowledgeBase) -> list[int]:
    return [id for id, parents in _parents(base).items() if not parents]


def _closure(steps: dict[int, tuple[int, ...]], ids: Collection[int]) -> set[int]:
    found: set[int] = set()
    waiting = [id for id in ids if id in steps]
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(steps[id])
    return found
