"""Teaches the parser: published questions, and made ones for the kinds that these lack."""

from collections.abc import Callable
from pathlib import Path

from wardround.agents.parser import Parser, train
from wardround.authoring.ehrsql.questions.maker import opened_maker
from wardround.authoring.ehrsql.questions.pairs import made_pairs
from wardround.benchmarks.ehrsql.pairs import load_labelled, pairs_of
from wardround.benchmarks.ehrsql.placeholders import normal_ranges
from wardround.ehr.database import Database

MADE = 2600


def teach(
    database: Database,
    tasks: Path | None = None,
    seed: int = 1,
    made: int = MADE,
    told: Callable[[str], None] = lambda step: None,
) -> Parser:
    """A parser for a database.

    Args:
        database: in an EHRSQL form.
        tasks: questions with their SQL in a published form; None for made ones alone.
        seed: of the questions that are made.
        made: how many are made.
        told: hears of each step that begins.

    Raises:
        UserError: the questions cannot be read or have no labels, or the database is in no form
            that questions can be made about.
    """
    published = load_labelled(tasks) if tasks else ()
    now = published[0].public.now if published else _end_of_records(database, seed)
    given = pairs_of(published)
    told("making questions")
    background = made_pairs(database.url, seed, made) if made else ()
    words = {"current_time": f"'{now}'", **normal_ranges()}
    # Alone, made questions are what there is to be checked on.
    pairs, beside = (given, background) if given else (background, ())
    return train(pairs, database, beside, words, told)


def _end_of_records(database: Database, seed: int) -> str:
    """The time that made questions take for now."""
    with opened_maker(database.url, seed) as maker:
        return f"{maker.pool.now:%Y-%m-%d %H:%M:%S}"
