"""Sources of training pairs for agents: generated about a database, or published."""

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
)
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges
from wardround.benchmarks.ehrsql.tasks import load_labelled, pairs_of
from wardround.core.errors import NoPairsError, UserError

MADE = 2600
# Rounds of generation; later rounds replace questions that could not be made.
_ROUNDS = 3
# The share of unanswerable pairs.
_UNANSWERABLE = 0.25


def made(
    database: str,
    seed: int,
    source: str = "",
    count: int = MADE,
    wordings_for: Wordings = packaged_wordings,
) -> TrainingPairs:
    """Makes questions about a database, a quarter of them unanswerable.

    Questions are spread evenly over templates; the same seed gives the same pairs.

    Args:
        database: a file or URL.
        seed: the seed of all random choices.
        source: must be empty; this source reads no file.
        count: the number of questions.
        wordings_for: returns a template's wordings.

    Raises:
        UserError: `source` is not empty.
        NoPairsError: no questions can be made about the database, or its layout is none of
            EHRSQL's.
    """
    if source:
        raise UserError(f"Generated questions take no file, but {source} is given; leave it out.")
    with opened_maker(database, seed) as maker:
        if maker.pool.source.records.are_views:
            raise NoPairsError(
                f"Database {database} is in no layout of EHRSQL's own; pairs `mapped` are made "
                "about it, by its record map."
            )
        return TrainingPairs(_pairs(maker, count, wordings_for), words=_words(maker.now))


def mapped(database: str, seed: int, source: str = "", count: int = MADE) -> TrainingPairs:
    """Makes questions about the records of any map; their queries name tables of records.

    Args:
        database: a file or URL.
        seed: the seed of all random choices.
        source: a file with a record map of the database's own; that of its layout if empty.
        count: the number of questions.

    Raises:
        UserError: no record map fits the database, or it is in a layout of EHRSQL's own.
        NoPairsError: no questions can be made about the database.
    """
    with opened_maker(database, seed, map_path=Path(source) if source else None) as maker:
        records = maker.pool.source.records
        if not records.are_views:
            raise UserError(
                f"Database {database} is in a layout of EHRSQL's own; use pairs `made`."
            )
        pairs = _pairs(maker, count, packaged_wordings)
        return TrainingPairs(pairs, words=_words(maker.now), records=records.map)


def _pairs(maker: Maker, count: int, wordings_for: Wordings) -> tuple[Pair, ...]:
    kinds = _shares(maker.unanswerable_templates, round(count * _UNANSWERABLE), maker.seed)
    unanswered = list(maker.unanswerable(kinds, wordings_for))
    questions = [*_of_all_templates(maker, count - len(unanswered), wordings_for), *unanswered]
    random.Random(maker.seed).shuffle(questions)
    return tuple(Pair(question.question, maker.table_sql(question)) for question in questions)


def published(database: str, seed: int, source: str, count: int = MADE) -> TrainingPairs:
    """Reads published questions, and makes background questions for kinds that they lack.

    Args:
        database: a file or URL.
        seed: the seed of the background questions.
        source: a published file or folder of questions with SQL.
        count: the number of background questions.

    Raises:
        UserError: the questions cannot be read or have no labels, or none can be made about the
            database.
    """
    labelled = load_labelled(Path(source))
    background = made(database, seed, count=count).pairs if count else ()
    return TrainingPairs(pairs_of(labelled), background, _words(labelled[0].public.now))


def _of_all_templates(maker: Maker, count: int, wordings_for: Wordings) -> list[Made]:
    """Makes `count` questions; if templates yield too few, others get larger shares."""
    templates = templates_for(maker.pool.source.records)
    questions: dict[str, Made] = {}
    for attempt in range(_ROUNDS):
        shares = _shares(templates, count - len(questions), maker.seed + attempt)
        more = maker.answerable(shares, wordings_for, f"pairs {attempt}")
        questions = {**{made.question: made for made in more}, **questions}
        productive = {made.template.id for made in questions.values()}
        templates = tuple(t for t in templates if t.id in productive) if productive else templates
    return list(questions.values())


def _shares(
    templates: Sequence[QuestionTemplate], count: int, seed: int
) -> dict[QuestionTemplate, int]:
    """Divides a count evenly among templates; the remainder goes to randomly drawn ones."""
    each, over = divmod(count, len(templates))
    more = set(random.Random(seed).sample(range(len(templates)), over))
    counts = {template: each + (n in more) for n, template in enumerate(templates)}
    return {template: count for template, count in counts.items() if count}


def _words(now: str) -> dict[str, str]:
    return {"current_time": f"'{now}'", **normal_ranges()}
