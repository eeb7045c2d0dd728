"""The prompts of the benchmark's people: Markdown files beside this one, filled in by Jinja2."""

from collections.abc import Callable, Sequence

from wardround.models.prompts import fill
from wardround.people.verification import Draft


def user_prompt(instruction: str, now: str) -> str:
    """The simulated user's system prompt: its instruction and its rules (A.3.2)."""
    return fill(__name__, "user.md", instruction=instruction, now=now)


def verifier_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """The verifier's prompt for a draft (A.3.4).

    Args:
        rules: the user's system prompt.
        lessons: what the validator objected to in earlier attempts.
    """
    return lambda draft: fill(__name__, "verifier.md", rules=rules, lessons=lessons, draft=draft)


def reflection_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """The reflection prompt for a rejected draft (A.3.4); arguments as `verifier_prompt`."""
    return lambda draft: fill(__name__, "reflection.md", rules=rules, lessons=lessons, draft=draft)


def validator_prompt(rules: str, talk: str, gold_sql: str) -> str:
    """The validator's prompt for a talk (A.4).

    Args:
        rules: the user's system prompt.
        talk: what user and agent said.
        gold_sql: the query that the instruction describes.
    """
    return fill(__name__, "validator.md", rules=rules, talk=talk, gold_sql=gold_sql)
