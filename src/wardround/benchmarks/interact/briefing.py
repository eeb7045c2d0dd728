"""The agent's instructions; in a conversation with schema, column meanings and knowledge."""

from collections.abc import Iterable

import orjson

from wardround.benchmarks.interact import prompts
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.kit.agent_texts import limit_words
from wardround.core.limits import Limits
from wardround.ehr.knowledge import KnowledgeBase, Meanings, all_knowledge
from wardround.models.prompts import fill


def conversation_rules(
    facts: dict[str, str],
    questions: int,
    schema: str,
    meanings: Meanings,
    known: KnowledgeBase,
    limits: Limits,
) -> str:
    """The instructions of c-Interact, with schema, meanings and knowledge (4.1).

    Args:
        facts: the briefing's facts: database and current time.
        questions: how many the user answers.
        schema: the tables as `CREATE TABLE` text.
        meanings: what the columns hold.
        known: the knowledge that is not masked.
        limits: the trial's limits, which the agent may know.
    """
    return fill(
        prompts.__name__,
        "conversation.md",
        questions=questions,
        schema=schema,
        meanings=_lines(f"{name}: {text}" for name, text in meanings.all().items()),
        knowledge=_lines(orjson.dumps(entry).decode() for entry in all_knowledge(known)),
        **facts,
        **limit_words(limits),
    )


def action_rules(facts: dict[str, str], budget: float | None, limits: Limits) -> str:
    """The instructions of a-Interact; schema and knowledge have to be looked up (4.2).

    Args:
        facts: the briefing's facts: database and current time.
        budget: what may be spent; None where actions are free.
        limits: the trial's limits, which the agent may know.
    """
    prices = ", ".join(f"{name} {price:g}" for name, price in PRICES.items())
    money = (
        ""
        if budget is None
        else fill(prompts.__name__, "money.md", prices=prices, budget=f"{budget:g}")
    )
    return fill(prompts.__name__, "actions.md", money=money.strip(), **facts, **limit_words(limits))


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)
