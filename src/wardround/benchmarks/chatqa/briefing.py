"""The agent's instructions: how to work, the grading, and the database's own rules (C, A.5)."""

from collections.abc import Mapping

from wardround.benchmarks.chatqa import prompts
from wardround.benchmarks.kit.limit_words import limit_words
from wardround.core.limits import Limits
from wardround.models.prompts import fill

KNOWN_SCHEMAS = ("mimic_iv_star", "eicu_star")


def agent_rules(facts: Mapping[str, str], schema: str, limits: Limits) -> str:
    """The agent's instructions in full.

    Args:
        facts: the briefing's facts: flow, dialect and current time.
        schema: the schema that the database was recognised to have; rules for others are general.
        limits: the trial's limits, which the agent may know.
    """
    now = facts["current_time"]
    database = fill(
        prompts.__name__,
        f"database_{schema if schema in KNOWN_SCHEMAS else 'other'}.md",
        dialect=facts["dialect"],
        current_time=now,
        today=now[:10],
        this_month=now[:7],
        this_year=now[:4],
    )
    grading = fill(prompts.__name__, f"grading_{facts['flow']}.md")
    return fill(
        prompts.__name__, "agent.md", grading=grading, database=database, **limit_words(limits)
    )
