"""Dependencies between entries of a knowledge base."""

from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter

from wardround.ehr.knowledge.model import KnowledgeBase


def cycle(base: KnowledgeBase) -> tuple[int, ...]:
    """The ids of a dependency cycle, closed by repeating the first; () if there is none."""
    try:
        TopologicalSorter({entry.id: entry.children for entry in base}).prepare()
    except CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def topological_order(base: KnowledgeBase) -> tuple[int, ...]:
    """All ids in topological order, dependencies first, without masked entries.

    Raises:
        graphlib.CycleError: The dependencies have a cycle.
    """
    order = TopologicalSorter({entry.id: entry.children for entry in base}).static_order()
    return tuple(id for id in order if id in base.entries)


def with_dependencies(base: KnowledgeBase, ids: Collection[int]) -> tuple[int, ...]:
    """The entries and their transitive dependencies, dependencies first; ignores unknown ids."""
    closure = _closure(_children(base), ids)
    return tuple(id for id in topological_order(base) if id in closure)


def chain_nodes(base: KnowledgeBase) -> tuple[int, ...]:
    """The ids of inner chain nodes: entries with both a dependency and a dependent.

    Masking one of them breaks a chain (Huo et al. 2025, H.2).
    """
    children, parents = _children(base), _parents(base)
    return tuple(id for id in base.entries if children[id] and parents[id])


def gap_kinds(base: KnowledgeBase, needed: Collection[int]) -> Mapping[int | None, str]:
    """The kind of gap that masking each entry makes, by id: "one-shot", or "chain".

    It breaks a chain if the entry has both a dependency and a needed dependent.

    Args:
        base: The entries.
        needed: Ids of the entries that the request depends on; empty for any.
    """
    ids = with_dependencies(base, needed) or tuple(base.entries)
    nodes = chain_nodes(base.without(set(base.entries) - set(ids)))
    return {id: "chain" if id in nodes else "one-shot" for id in base.entries}


def _children(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    return {e.id: tuple(child for child in e.children if child in base.entries) for e in base}


def _parents(base: KnowledgeBase) -> dict[int, tuple[int, ...]]:
    parents: dict[int, list[int]] = {id: [] for id in base.entries}
    for id, children in _children(base).items():
        for child in children:
            parents[child].append(id)
    return {id: tuple(ids) for id, ids in parents.items()}


def _closure(steps: dict[int, tuple[int, ...]], ids: Collection[int]) -> set[int]:
    closure: set[int] = set()
    pending = [id for id in ids if id in steps]
    while pending:
        id = pending.pop()
        if id not in closure:
            closure.add(id)
            pending.extend(steps[id])
    return closure
