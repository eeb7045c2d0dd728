"""Pair sources: what agents learn from before a run, made about its database or published."""

import random
from collections.abc import Sequence
from pathlib import Path

from wardround.agents.pairs import Pair, TrainingPairs
from wardround.authoring.ehrsql.questions.made_question import Made
from wardround.authoring.ehrsql.questions.maker import (
    Maker,
    Wordings,
    opened_maker,
    packaged_wordings,
)
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    templates_for,
    unanswerable_templates,
)
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges
from wardround.benchmarks.ehrsql.tasks import load_labelled, pairs_of
from wardround.core.errors import UserError

MADE = 2600
# Rounds in which other templates make up for questions that could not be made.
_ROUNDS = 3
# The share of pairs that the records cannot answer.
_UNANSWERABLE = 0.25


def made(
    database: str,
    seed: int,
    source: str = "",
    count: int = MADE,
    wordings_for: Wordings = packaged_wordings,
) -> TrainingPairs:
    """Questions made about a database; a quarter cannot be answered.

    Kinds of questions take turns, so all are there where there are enough; the same seed gives
    the same pairs.

    Args:
        database: A file or URL, in an EHRSQL layout.
        seed: What the questions are drawn from.
        source: Must be empty; this source reads no file.
        count: How many questions.
        wordings_for: Returns the wordings of a template's questions.

    Raises:
        UserError: No questions can be made about the database, or a file is named.
    """
    if source:
        raise UserError(f"Generated questions take no file, but {source} is given; leave it out.")
    with opened_maker(database, seed) as maker:
        kinds = _shares(unanswerable_templates(), round(count * _UNANSWERABLE), seed)
        unanswered = list(maker.unanswerable(kinds, wordings_for))
        answered = _of_all_templates(maker, count - len(unanswered), wordings_for)
        questions = [*answered, *unanswered]
        random.Random(seed).shuffle(questions)
        pairs = tuple(Pair(each.question, each.sql) for each in questions)
        return TrainingPairs(pairs, words=_words(maker.now))


def published(database: str, seed: int, source: str, count: int = MADE) -> TrainingPairs:
    """Published questions, and made ones for the kinds that they lack.

    Args:
        database: A file or URL, in an EHRSQL layout.
        seed: What the made questions are drawn from.
        source: A file or folder of questions with their SQL, as EHRSQL publishes them.
        count: How many questions are made.

    Raises:
        UserError: The questions cannot be read or have no labels, or none can be made about the
            database.
    """
    labelled = load_labelled(Path(source))
    background = made(database, seed, count=count).pairs if count else ()
    return TrainingPairs(pairs_of(labelled), background, _words(labelled[0].public.now))


def _of_all_templates(maker: Maker, count: int, wordings_for: Wordings) -> list[Made]:
    """Makes questions of all templates; where a template has too few, others make up for it."""
    templates = templates_for(maker.pool.source.schema)
    questions: dict[str, Made] = {}
    for again in range(_ROUNDS):
        shares = _shares(templates, count - len(questions), maker.seed + again)
        more = maker.answerable(shares, wordings_for, f"pairs {again}")
        questions = {**{each.question: each for each in more}, **questions}
        asked = {each.template.id for each in questions.values()}
        templates = tuple(t for t in templates if t.id in asked) if asked else templates
    return list(questions.values())


def _shares(
    templates: Sequence[QuestionTemplate], count: int, seed: int
) -> dict[QuestionTemplate, int]:
    """Shares a count among templates evenly; the remainder goes to drawn ones."""
    each, over = divmod(count, len(templates))
    more = set(random.Random(seed).sample(range(len(templates)), over))
    counts = {template: each + (n in more) for n, template in enumerate(templates)}
    return {template: count for template, count in counts.items() if count}


def _words(now: str) -> dict[str, str]:
    return {"current_time": f"'{now}'", **normal_ranges()}
