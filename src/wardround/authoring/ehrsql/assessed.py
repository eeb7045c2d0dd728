"""A suite of questions for an assessment: a sample of a made test split."""

import json
from pathlib import Path
from random import Random
from typing import Any

from wardround.authoring.ehrsql.questions.splits import UNANSWERABLE
from wardround.authoring.ehrsql.questions.suite import make_ehrsql, write_json
from wardround.benchmarks.ehrsql.published import ANSWER, DATA, LABEL
from wardround.core.private_files import make_folder
from wardround.core.work import MadeSuite, SuiteRequest

# The multiple of the paper's set at which each template gets one question.
_SIZE = 0.001
_QUESTIONS_OF_SIZE = 150
_SHOWN = {"id", "question", "template", "q_tag", "t_tag", "importance", "department"}


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
    folder = request.folder / "tasks"
    count = _write_sample(request, folder)
    file = f"={request.record_map.absolute()}" if request.record_map else ""
    pairs = f"mapped{file}" if made.by_map else "made"
    return MadeSuite(folder, count, made.layout, pairs=pairs)


def _write_sample(request: SuiteRequest, folder: Path) -> int:
    """Writes a sample in the form with answers, and with the tags of the other form."""
    tagged = json.loads((request.folder / "ehrsql-1.5" / "test.json").read_bytes())
    made = request.folder / "ehrsql-2024" / "test"
    chosen = _sample(tagged, request.tasks, request.seed)
    make_folder(folder)
    data = json.loads((made / DATA).read_bytes())
    write_json(folder / DATA, {**data, "data": [_without_gold(each) for each in chosen]})
    for name in (LABEL, ANSWER):
        texts = json.loads((made / name).read_bytes())
        write_json(folder / name, {each["id"]: texts[each["id"]] for each in chosen})
    return len(chosen)


def _without_gold(question: dict[str, Any]) -> dict[str, Any]:
    return {name: question[name] for name in question if name in _SHOWN}


def _sample(questions: list[dict[str, Any]], count: int, seed: int) -> list[dict[str, Any]]:
    chance = Random(f"{seed} assessed")
    unanswerable = [each for each in questions if each["is_impossible"]]
    answerable = [each for each in questions if not each["is_impossible"]]
    refusals = min(round(UNANSWERABLE * count), len(unanswerable))
    answers = min(count - refusals, len(answerable))
    chosen = [*chance.sample(answerable, answers), *chance.sample(unanswerable, refusals)]
    return chance.sample(chosen, len(chosen))
