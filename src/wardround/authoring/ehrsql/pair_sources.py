"""Pair sources: what agents learn from before a run, made about its database or published."""

from pathlib import Path

from wardround.agents.pairs import TrainingPairs
from wardround.authoring.ehrsql.questions.maker import opened_maker
from wardround.authoring.ehrsql.questions.pairs import made_pairs
from wardround.benchmarks.ehrsql.placeholders import normal_ranges
from wardround.benchmarks.ehrsql.tasks import load_labelled, pairs_of
from wardround.core.errors import UserError

MADE = 2600


def made(database: str, seed: int, source: str = "", count: int = MADE) -> TrainingPairs:
    """Questions made about a database.

    Args:
        database: A file or URL, in an EHRSQL layout.
        seed: What the questions are drawn from.
        source: Must be empty; this source reads no file.
        count: How many questions.

    Raises:
        UserError: No questions can be made about the database, or a file is named.
    """
    if source:
        raise UserError(f"Made questions are read from no file, but {source} is named.")
    with opened_maker(database, seed) as maker:
        end_of_records = f"{maker.pool.now:%Y-%m-%d %H:%M:%S}"
    return TrainingPairs(made_pairs(database, seed, count), words=_words(end_of_records))


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
    background = made_pairs(database, seed, count) if count else ()
    return TrainingPairs(pairs_of(labelled), background, _words(labelled[0].public.now))


def _words(now: str) -> dict[str, str]:
    return {"current_time": f"'{now}'", **normal_ranges()}
