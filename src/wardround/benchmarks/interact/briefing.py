"""The agent's instructions; in a conversation with schema, column meanings and knowledge."""

from collections.abc import Iterable, Mapping

import orjson

from wardround.benchmarks.interact import prompts
from wardround.benchmarks.interact.open_databases import OpenDatabase
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.kit.agent_texts import limit_words
from wardround.core.limits import Limits
from wardround.ehr.knowledge import KnowledgeBase, all_knowledge
from wardround.models.prompts import fill


def conversation_rules(
    facts: Mapping[str, str],
    limits: Limits,
    opened: OpenDatabase,
    known: KnowledgeBase,
    questions: int,
) -> str:
    """The instructions of c-Interact, with schema, meanings and knowledge (4.1).

    Args:
        facts: the briefing's facts: database and current time.
        limits: the trial's limits, which the agent may know.
        opened: the database.
        known: the knowledge that is not masked.
        questions: how many the user answers.
    """
    return fill(
        prompts.__name__,
        "conversation.md",
        questions=questions,
        schema=opened.schema,
        meanings=_lines(f"{name}: {text}" for name, text in opened.meanings.all().items()),
        knowledge=_lines(orjson.dumps(entry).decode() for entry in all_knowledge(known)),
        **facts,
        **limit_words(limits),
    )


def action_rules(facts: Mapping[str, str], limits: Limits, budget: float | None) -> str:
    """The instructions of a-Interact; schema and knowledge have to be looked up (4.2).

    Args:
        facts: the briefing's facts: database and current time.
        limits: the trial's limits, which the agent may know.
        budget: what may be spent; None where actions are free.
    """
    return fill(
        prompts.__name__,
        "actions.md",
        prices=", ".join(f"{name} {price:g}" for name, price in PRICES.items()),
        budget="" if budget is None else f"{budget:g}",
        **facts,
        **limit_words(limits),
    )


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)
