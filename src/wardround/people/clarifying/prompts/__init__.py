"""Prompts of clarifying users: Markdown files beside this module, filled in by Jinja2."""

from collections.abc import Sequence

from wardround.models.prompts import fill
from wardround.people.clarifying.fragments import Fragment, listing
from wardround.people.clarifying.redaction import redacted_fragments
from wardround.people.clarifying.secret import Labelled, Located, Secret


def parser_prompt(secret: Secret, pieces: Sequence[Fragment], question: str) -> str:
    """Returns the parser's prompt (Huo et al. 2025, R.2, first stage)."""
    return fill(__name__, "parser.md", secret=secret, pieces=listing(pieces), question=question)


def generator_prompt(secret: Secret, choice: Labelled | Located, question: str) -> str:
    """Returns the generator's prompt (Huo et al. 2025, R.2, second stage)."""
    details = redacted_fragments(choice, secret)
    return fill(
        __name__,
        "generator.md",
        request=secret.request,
        choice=choice,
        details=details,
        question=question,
    )


def baseline_prompt(secret: Secret, question: str) -> str:
    """Returns the single-pass user's prompt (Huo et al. 2025, R.2, baseline)."""
    return fill(__name__, "baseline.md", secret=secret, question=question)
