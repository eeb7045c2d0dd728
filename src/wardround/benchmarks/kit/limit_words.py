"""A trial's limits as the words of an agent's rules."""

from wardround.core.limits import Limits


def limit_words(limits: Limits) -> dict[str, object]:
    """Actions, seconds and seconds a statement, for the placeholders of a prompt."""
    return {
        "actions": limits.actions,
        "seconds": f"{limits.seconds:g}",
        "statement_seconds": f"{limits.statement_seconds:g}",
    }
