"""The agent's instructions: how to work, the grading, and the database's tables (C.1, G)."""

from collections.abc import Mapping

from wardround.benchmarks.ehrsql import prompts
from wardround.benchmarks.ehrsql.placeholders import normal_ranges
from wardround.benchmarks.kit.limit_words import limit_words
from wardround.core.limits import Limits
from wardround.models.prompts import fill


def agent_rules(facts: Mapping[str, str], schema: str, limits: Limits) -> str:
    """The agent's instructions in full.

    Args:
        facts: the briefing's facts: dialect and current time.
        schema: the tables, as `CREATE TABLE` text.
        limits: the trial's limits, which the agent may know.
    """
    return fill(
        prompts.__name__,
        "agent.md",
        dialect=facts["dialect"],
        current_time=facts["current_time"],
        vital_signs=", ".join(dict.fromkeys(w.rpartition("_")[0] for w in normal_ranges())),
        schema=schema,
        **limit_words(limits),
    )
