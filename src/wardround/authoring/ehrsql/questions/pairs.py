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
    told: Callable[[], None] = lambda: None,
    said: Callable[[str], Sequence[str]] = wordings,
) -> tuple[Pair, ...]:
    """Questions about a database with their SQL, to learn from.

    Kinds of questions take turns, so all are there where there are enough; the same seed gives
    the same pairs.

    Args:
        location: A database in an EHRSQL form.
        seed: The same seed gives the same pairs.
        count: The number of pairs.
        unanswerable: The share that the records cannot answer.
        told: Called after each question that is made.
        said: The wordings that a template's questions take, by its name.

    Raises:
        UserError: If the database is in no such form, or has too few patients.
    """
    kinds = _shares(unanswerable_templates(), round(count * unanswerable), seed)
    with opened_maker(location, seed) as maker:
        without = list(maker.unanswerable(kinds, lambda kind: said(kind.id)))
        made = [*_of_all_templates(maker, count - len(without), said, told), *without]
    random.Random(seed).shuffle(made)
    return tuple(Pair(one.question, one.sql) for one in made)


def _of_all_templates(
    maker: Maker, count: int, said: Callable[[str], Sequence[str]], told: Callable[[], None]
) -> list[Made]:
    """Makes questions of all templates; where one has too few, others make up for it."""
    templates = templates_for(maker.pool.source.schema)
    made: dict[str, Made] = {}
    for again in range(_ROUNDS):
        shares = _shares(templates, count - len(made), maker.seed + again)
        found = maker.answerable(shares, lambda t: said(t.id), f"pairs {again}", told)
        made = {**{one.question: one for one in found}, **made}
        asked = {one.template.id for one in made.values()}
        templates = tuple(t for t in templates if t.id in asked) if asked else templates
    return list(made.values())


def _shares(templates: Sequence[Kind], count: int, seed: int) -> dict[Kind, int]:
    """Shares a count among templates evenly; which get one more is drawn."""
    each, over = divmod(count, len(templates))
    more = set(random.Random(seed).sample(range(len(templates)), over))
    counts = {template: each + (n in more) for n, template in enumerate(templates)}
    return {template: count for template, count in counts.items() if count}
