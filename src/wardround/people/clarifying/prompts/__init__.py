"""The prompts of users who clear things up: Markdown files beside this one, filled in by Jinja2."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from wardround.people.clarifying.fragments import Fragment, listing
from wardround.people.clarifying.model import Choice, Secret

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(name: str, **values: object) -> str:
    """A prompt file with its blanks filled in.

    Raises:
        jinja2.UndefinedError: a blank was left open.
        jinja2.TemplateNotFound: there is no such file.
    """
    return _environment().get_template(name).render(**values).strip()


def parser_prompt(secret: Secret, pieces: Sequence[Fragment], question: str) -> str:
    """What the parser is asked about a question (R.2, first stage)."""
    return fill("parser.md", secret=secret, pieces=listing(pieces), question=question)


def generator_prompt(secret: Secret, choice: Choice, question: str) -> str:
    """What the generator is asked about a question (R.2, second stage)."""
    return fill("generator.md", secret=secret, choice=choice, question=question)


def baseline_prompt(secret: Secret, question: str) -> str:
    """What the user of one step is asked about a question (R.2, baseline)."""
    return fill("baseline.md", secret=secret, question=question)


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
