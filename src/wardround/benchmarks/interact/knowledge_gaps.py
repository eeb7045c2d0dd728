"""Tells one-shot gaps in knowledge from broken chains, by the knowledge base (H.2)."""

from dataclasses import replace

from wardround.benchmarks.interact.kinds import names
from wardround.benchmarks.interact.tasks import InteractTask, interact_task
from wardround.ehr.knowledge import KnowledgeBase, between, needed
from wardround.people.clarifying.model import Ambiguity


def with_gaps_named(task: InteractTask, base: KnowledgeBase) -> InteractTask:
    """The task with one-shot gaps and broken chains named, if its file does not.

    A gap breaks a chain if the entry is built on another and another that the request needs is
    built on it; where the file does not tell what the request needs, any other.

    Args:
        task: As it was loaded.
        base: Its database's knowledge, nothing masked.
    """
    ids = needed(base, task.hidden.first.knowledge) or tuple(base.entries)
    nodes = between(base.without(set(base.entries) - set(ids)))
    ambiguities = tuple(_named(one, nodes, base) for one in task.hidden.ambiguities)
    return interact_task(task.id, task.public, replace(task.hidden, ambiguities=ambiguities))


def _named(one: Ambiguity, nodes: tuple[int, ...], base: KnowledgeBase) -> Ambiguity:
    if one.knowledge not in base.entries or one.kind in names("knowledge"):
        return one
    return replace(one, kind="chain" if one.knowledge in nodes else "one-shot")
