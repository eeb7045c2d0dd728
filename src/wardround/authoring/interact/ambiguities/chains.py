"""Chains of ambiguities: one is only seen when another has been cleared up (H.3)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias

from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.wording_templates import vague
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.ehr.knowledge import KnowledgeBase, with_dependencies
from wardround.people.clarifying.secret import Ambiguity

Transition: TypeAlias = Literal[
    "user-user", "user-environment", "environment-user", "user-environment-user"
]


def asked_twice(one: Proposal) -> tuple[Proposal, Proposal] | None:
    """User to user: what a vague word stands for is first told with another vague word.

    Args:
        one: A semantic ambiguity with words in the request.

    Returns:
        What the request then hides, and what the first answer hides; None of other kinds.

    >>> old = Proposal("semantic", "age >= 65", "I mean aged 65 or older.", ("age >= 80",),
    ...                "aged 65 or older", "of a higher age")
    >>> [(each.term, each.meaning) for each in asked_twice(old)][0]
    ('that we should look after', 'Those of a higher age.')
    """
    rules = [rule for rule in (*vague()["numbers"], *vague()["dates"]) if "first" in rule]
    rule = next((rule for rule in rules if rule["becomes"] == one.becomes), None)
    if one.kind != "semantic" or not one.said or rule is None:
        return None
    outer = replace(
        one,
        kind="lexical",
        becomes=rule["first"],
        term=rule["first"],
        meaning=rule["answer"],
        transition="user-user",
    )
    return outer, replace(one, said="", term=one.becomes.strip(), transition="user-user")


def through_knowledge(
    links: Iterable[Proposal], masks: Iterable[Proposal], base: KnowledgeBase
) -> tuple[tuple[Proposal, Proposal], ...]:
    """User to environment to user: the user names an entry, and what it needs is masked.

    Args:
        links: Entries that are named loosely.
        masks: Masks of entries.
        base: The knowledge base, nothing masked.
    """
    way = "user-environment-user"
    pairs = []
    for link in links:
        entry = next((one for one in base if f" {one.name}," in link.meaning), None)
        below = with_dependencies(base, [entry.id]) if entry else ()
        for mask in masks:
            if mask.knowledge in below:
                pairs.append((replace(link, transition=way), replace(mask, transition=way)))
    return tuple(pairs)


def transitions(task: InteractTask, base: KnowledgeBase) -> Counter[Transition]:
    """The flow of clarification in a task, by what its ambiguities' meanings lead to."""
    masked = [one for one in task.hidden.ambiguities if one.knowledge is not None]
    found: Counter[Transition] = Counter()
    reached: set[str] = set()
    for one in task.hidden.ambiguities:
        if one.kind == "knowledge linking":
            behind = [gap for gap in masked if _leads(one, gap, base)]
            reached |= {gap.term for gap in behind}
            found["user-environment-user" if behind else "user-environment"] += 1
        elif one.knowledge is None:
            others = task.hidden.ambiguities
            found["user-user"] += sum(_unfolds(one, other, task) for other in others)
    found["environment-user"] = sum(gap.term not in reached for gap in masked)
    return +found


def _leads(link: Ambiguity, gap: Ambiguity, base: KnowledgeBase) -> bool:
    """True if the meaning is built on a masked entry, by its SQL or by the names in it."""
    named = [one.id for one in base if one.name.lower() in link.meaning.lower()]
    within = any(each in other for each in gap.fragments for other in link.fragments)
    return within or gap.knowledge in with_dependencies(base, named)


def _unfolds(one: Ambiguity, other: Ambiguity, task: InteractTask) -> bool:
    """True if another ambiguity's words are in this one's meaning, and not in the request."""
    return (
        other is not one
        and other.knowledge is None
        and other.term.lower() in one.meaning.lower()
        and other.term.lower() not in task.public.request.lower()
    )
