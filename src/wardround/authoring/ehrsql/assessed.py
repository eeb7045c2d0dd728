"""A suite of questions for an assessment: a sample of a made test split."""

import json
from random import Random

from wardround.authoring.ehrsql.questions.suite import make_ehrsql, write_json
from wardround.core.work import MadeSuite, SuiteRequest

# The multiple of the paper's set at which each template gets one question or a few; a third of
# the questions cannot be answered.
_SIZE = 0.001
_QUESTIONS_OF_SIZE = 150


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Makes questions about a database, a third of them unanswerable.

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
    questions = json.loads(path.read_bytes())
    chosen = Random(f"{request.seed} assessed").sample(
        questions, min(request.tasks, len(questions))
    )
    sample = request.folder / "tasks.json"
    write_json(sample, chosen)
    file = f"={request.record_map.absolute()}" if request.record_map else ""
    pairs = f"mapped{file}" if made.by_map else ""
    return MadeSuite(sample, len(chosen), made.layout, pairs=pairs)
