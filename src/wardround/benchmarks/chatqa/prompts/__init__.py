"""Prompts of the simulated user and its checkers, from Markdown files of this package."""

from collections.abc import Callable, Sequence

from wardround.models.prompts import fill
from wardround.people.verification import Draft


def user_prompt(instruction: str, now: str) -> str:
    """Builds the user's system prompt from its instruction and rules (A.3.2)."""
    return fill(__name__, "user.md", instruction=instruction, now=now)


def verifier_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """Returns a function that builds the verifier's prompt for a draft (A.3.4).

    Args:
        rules: the user's system prompt.
        lessons: the validator's objections to earlier attempts.
    """
    return lambda draft: fill(__name__, "verifier.md", rules=rules, lessons=lessons, draft=draft)


def reflection_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """Like `verifier_prompt`, for the reflection on a rejected draft (A.3.4)."""
    return lambda draft: fill(__name__, "reflection.md", rules=rules, lessons=lessons, draft=draft)


def validator_prompt(rules: str, talk: str, gold_sql: str) -> str:
    """Builds the validator's prompt for a finished conversation (A.4).

    Args:
        rules: the user's system prompt.
        talk: the transcript of the conversation.
        gold_sql: the query that the instruction describes.
    """
    return fill(__name__, "validator.md", rules=rules, talk=talk, gold_sql=gold_sql)
