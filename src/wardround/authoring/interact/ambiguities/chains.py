"""Chains of ambiguities: the second appears only when the first is resolved (H.3)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias

from wardround.authoring.interact.ambiguities.intent import vague_words
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.ehr.knowledge import KnowledgeBase, with_dependencies
from wardround.people.clarifying.secret import Ambiguity

Transition: TypeAlias = Literal[
    "user-user", "user-environment", "environment-user", "user-environment-user"
]


def asked_twice(proposal: Proposal) -> tuple[Proposal, ...]:
    """User to user: the first answer explains a vague word with another vague word.

    Args:
        proposal: a semantic ambiguity with words in the request.

    Returns:
        The ambiguities of the request and of the first answer; () for other kinds.

    >>> old = Proposal("semantic", "age >= 65", "I mean aged 65 or older.", ("age >= 80",),
    ...                "aged 65 or older", "of a higher age")
    >>> [(each.term, each.meaning) for each in asked_twice(old)][0]
    ('that we should look after', 'Those of a higher age.')
    """
    rules = (*vague_words()["numbers"], *vague_words()["dates"])
    chained = (rule for rule in rules if "first" in rule and rule["becomes"] == proposal.becomes)
    rule = next(chained, None)
    if proposal.kind != "semantic" or not proposal.said or rule is None:
        return ()
    vague = rule["first"]
    outer = replace(proposal, kind="lexical", becomes=vague, term=vague, meaning=rule["answer"])
    inner = replace(proposal, said="", term=proposal.becomes.strip())
    return tuple(replace(each, transition="user-user") for each in (outer, inner))


def through_knowledge(
    links: Iterable[Proposal], masks: Iterable[Proposal], base: KnowledgeBase
) -> tuple[tuple[Proposal, ...], ...]:
    """User to environment to user: pairs named entries with masked entries they build on.

    Args:
        links: proposals that name entries loosely.
        masks: proposals that mask entries.
        base: the unmasked knowledge base.
    """
    pairs: list[tuple[Proposal, ...]] = []
    for link in links:
        entry = next((entry for entry in base if f" {entry.name}," in link.meaning), None)
        below = with_dependencies(base, [entry.id]) if entry else ()
        pairs += [(link, mask) for mask in masks if mask.knowledge in below]
    transition = "user-environment-user"
    return tuple(tuple(replace(half, transition=transition) for half in pair) for pair in pairs)


def transitions(task: InteractTask, base: KnowledgeBase) -> Counter[Transition]:
    """Counts the transitions between the ambiguities of a task, by their meanings."""
    points = task.hidden.ambiguities
    masks = [point for point in points if point.knowledge is not None]
    counts: Counter[Transition] = Counter()
    reached: set[str] = set()
    for point in points:
        if point.kind == "knowledge linking":
            behind = [mask for mask in masks if _leads(point, mask, base)]
            reached |= {mask.term for mask in behind}
            counts["user-environment-user" if behind else "user-environment"] += 1
        elif point.knowledge is None:
            counts["user-user"] += sum(_unfolds(point, inner, task) for inner in points)
    counts["environment-user"] = sum(mask.term not in reached for mask in masks)
    return +counts


def _leads(link: Ambiguity, mask: Ambiguity, base: KnowledgeBase) -> bool:
    """True if a link's meaning needs a masked entry, by its SQL or the names in it."""
    named = [entry.id for entry in base if entry.name.lower() in link.meaning.lower()]
    within = any(inner in outer for inner in mask.fragments for outer in link.fragments)
    return within or mask.knowledge in with_dependencies(base, named)


def _unfolds(outer: Ambiguity, inner: Ambiguity, task: InteractTask) -> bool:
    """True if the inner ambiguity's term is in the outer's meaning but not in the request."""
    return (
        inner is not outer
        and inner.knowledge is None
        and inner.term.lower() in outer.meaning.lower()
        and inner.term.lower() not in task.public.request.lower()
    )
