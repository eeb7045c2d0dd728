"""The prompts of users who clear things up: Markdown files beside this one, filled in by Jinja2."""

from collections.abc import Sequence

from wardround.models.prompts import fill
from wardround.people.clarifying.fragments import Fragment, listing
from wardround.people.clarifying.model import Labelled, Located, Secret
from wardround.people.clarifying.redaction import told_by


def parser_prompt(secret: Secret, pieces: Sequence[Fragment], question: str) -> str:
    """What the parser is asked about a question (R.2, first stage)."""
    return fill(__name__, "parser.md", secret=secret, pieces=listing(pieces), question=question)


def generator_prompt(secret: Secret, choice: Labelled | Located, question: str) -> str:
    """What the generator is asked about a question (R.2, second stage)."""
    details = told_by(choice, secret)
    return fill(
        __name__,
        "generator.md",
        request=secret.request,
        choice=choice,
        details=details,
        question=question,
    )


def baseline_prompt(secret: Secret, question: str) -> str:
    """What the user of one step is asked about a question (R.2, baseline)."""
    return fill(__name__, "baseline.md", secret=secret, question=question)
