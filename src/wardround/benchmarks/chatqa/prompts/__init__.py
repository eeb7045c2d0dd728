"""The prompts of the benchmark's people: Markdown files beside this one, filled in by Jinja2."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from wardround.people.verification import Draft

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(name: str, **values: object) -> str:
    """A prompt file with its blanks filled in.

    Raises:
        jinja2.UndefinedError: a blank was left open.
        jinja2.TemplateNotFound: there is no such file.
    """
    return _environment().get_template(name).render(**values).strip()


def user_prompt(instruction: str, now: str) -> str:
    """The simulated user's system prompt: its instruction and its rules (A.3.2)."""
    return fill("user.md", instruction=instruction, now=now)


def verifier_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """What the verifier is asked about a draft (A.3.4).

    Args:
        rules: the user's system prompt.
        lessons: what the validator objected to in earlier attempts.
    """
    return lambda draft: fill("verifier.md", rules=rules, lessons=lessons, draft=draft)


def reflection_prompt(rules: str, lessons: Sequence[str] = ()) -> Callable[[Draft], str]:
    """What reflection is asked about a rejected draft (A.3.4); arguments as `verifier_prompt`."""
    return lambda draft: fill("reflection.md", rules=rules, lessons=lessons, draft=draft)


def validator_prompt(rules: str, talk: str, gold_sql: str) -> str:
    """What the validator is asked about a talk (A.4).

    Args:
        rules: the user's system prompt.
        talk: what user and agent said.
        gold_sql: the query that the instruction describes.
    """
    return fill("validator.md", rules=rules, talk=talk, gold_sql=gold_sql)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

    return Environment(
        loader=FunctionLoader(_read),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _read(name: str) -> str | None:
    file = files(__name__) / name
    return file.read_text(encoding="utf-8") if file.is_file() else None
