"""Questions about a database with their SQL, to learn from."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from wardround.agents.pairs import Pair
from wardround.authoring.ehrsql.questions.made_question import Made
from wardround.authoring.ehrsql.questions.maker import Maker, opened_maker
from wardround.authoring.ehrsql.questions.paraphrases import wordings
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    UnanswerableTemplate,
    templates_for,
    unanswerable_templates,
)

Kind = TypeVar("Kind", QuestionTemplate, UnanswerableTemplate)

# Rounds in which other templates make up for questions that could not be made.
_ROUNDS = 3


def made_pairs(
    location: str,
    seed: int,
    count: int,
    unanswerable: float = 0.25,
    on_question: Callable[[], None] = lambda: None,
    wordings_of: Callable[[str], Sequence[str]] = wordings,
) -> tuple[Pair, ...]:
    """Questions about a database with their SQL, to learn from.

    Kinds of questions take turns, so all are there where there are enough; the same seed gives
    the same pairs.

    Args:
        location: A database in an EHRSQL form.
        seed: The same seed gives the same pairs.
        count: The number of pairs.
        unanswerable: The share that the records cannot answer.
        on_question: Called after each question.
        wordings_of: Returns the wordings of a template's questions, given its id.

    Raises:
        UserError: If the database is in no such form, or has too few patients.
    """
    kinds = _shares(unanswerable_templates(), round(count * unanswerable), seed)
    with opened_maker(location, seed) as maker:
        unanswered = list(maker.unanswerable(kinds, lambda kind: wordings_of(kind.id)))
        answered = _of_all_templates(maker, count - len(unanswered), wordings_of, on_question)
    questions = [*answered, *unanswered]
    random.Random(seed).shuffle(questions)
    return tuple(Pair(made.question, made.sql) for made in questions)


def _of_all_templates(
    maker: Maker,
    count: int,
    wordings_of: Callable[[str], Sequence[str]],
    on_question: Callable[[], None],
) -> list[Made]:
    """Makes questions of all templates; where a template has too few, others make up for it."""
    templates = templates_for(maker.pool.source.schema)
    questions: dict[str, Made] = {}
    for again in range(_ROUNDS):
        shares = _shares(templates, count - len(questions), maker.seed + again)
        more = maker.answerable(shares, lambda t: wordings_of(t.id), f"pairs {again}", on_question)
        questions = {**{made.question: made for made in more}, **questions}
        asked = {made.template.id for made in questions.values()}
        templates = tuple(t for t in templates if t.id in asked) if asked else templates
    return list(questions.values())


def _shares(templates: Sequence[Kind], count: int, seed: int) -> dict[Kind, int]:
    """Shares a count among templates evenly; the remainder goes to drawn ones."""
    each, over = divmod(count, len(templates))
    more = set(random.Random(seed).sample(range(len(templates)), over))
    counts = {template: each + (n in more) for n, template in enumerate(templates)}
    return {template: count for template, count in counts.items() if count}
