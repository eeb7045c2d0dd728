"""A suite of questions for an assessment: a sample of a made test split."""

import json
from random import Random
from typing import Any

from wardround.authoring.ehrsql.questions.splits import UNANSWERABLE
from wardround.authoring.ehrsql.questions.suite import make_ehrsql, write_json
from wardround.core.work import MadeSuite, SuiteRequest

# The multiple of the paper's set at which each template gets one question.
_SIZE = 0.001
_QUESTIONS_OF_SIZE = 150


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Makes questions about a database, with the paper's share of unanswerable ones.

    Raises:
        UserError: no record map fits the database.
    """
    made = make_ehrsql(
        request.database,
        request.folder,
        request.seed,
        _SIZE * max(1.0, request.tasks / _QUESTIONS_OF_SIZE),
        progress=request.progress,
        map_path=request.record_map,
        splits=("test",),
    )
    path = request.folder / "ehrsql-1.5" / "test.json"
    chosen = _sample(json.loads(path.read_bytes()), request.tasks, request.seed)
    sample = request.folder / "tasks.json"
    write_json(sample, chosen)
    file = f"={request.record_map.absolute()}" if request.record_map else ""
    pairs = f"mapped{file}" if made.by_map else ""
    return MadeSuite(sample, len(chosen), made.layout, pairs=pairs)


def _sample(questions: list[dict[str, Any]], count: int, seed: int) -> list[dict[str, Any]]:
    chance = Random(f"{seed} assessed")
    unanswerable = [each for each in questions if each["is_impossible"]]
    answerable = [each for each in questions if not each["is_impossible"]]
    refusals = min(round(UNANSWERABLE * count), len(unanswerable))
    answers = min(count - refusals, len(answerable))
    chosen = [*chance.sample(answerable, answers), *chance.sample(unanswerable, refusals)]
    return chance.sample(chosen, len(chosen))
