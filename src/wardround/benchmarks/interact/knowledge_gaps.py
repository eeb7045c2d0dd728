"""Tells one-shot gaps in knowledge from broken chains, by the knowledge base (H.2)."""

from dataclasses import replace

from wardround.benchmarks.interact.tasks import InteractTask, interact_task
from wardround.ehr.knowledge import KnowledgeBase, chain_nodes, with_dependencies
from wardround.people.clarifying.kinds import names
from wardround.people.clarifying.model import Ambiguity


def with_gaps_named(task: InteractTask, base: KnowledgeBase) -> InteractTask:
    """The task with one-shot gaps and broken chains named, if its file does not.

    A gap breaks a chain if the entry is built on another and another that the request needs is
    built on it; where the file does not tell what the request needs, any other.

    Args:
        task: As it was loaded.
        base: Its database's knowledge, nothing masked.
    """
    ids = with_dependencies(base, task.hidden.first.knowledge) or tuple(base.entries)
    nodes = chain_nodes(base.without(set(base.entries) - set(ids)))
    ambiguities = tuple(_named(ambiguity, nodes, base) for ambiguity in task.hidden.ambiguities)
    return interact_task(task.id, task.public, replace(task.hidden, ambiguities=ambiguities))


def _named(ambiguity: Ambiguity, nodes: tuple[int, ...], base: KnowledgeBase) -> Ambiguity:
    if ambiguity.knowledge not in base.entries or ambiguity.kind in names("knowledge"):
        return ambiguity
    return replace(ambiguity, kind="chain" if ambiguity.knowledge in nodes else "one-shot")
