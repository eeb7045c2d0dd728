"""Scores the model-free parser on a synthetic hospital, which has no published questions.

It is trained on generated questions and tested on questions of another seed, first with the
training's wordings, then with wordings held out of it.
"""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.figures import Figure, figure
from wardround.agents.parser import train
from wardround.authoring.ehrsql.pair_sources import made
from wardround.authoring.ehrsql.questions.maker import Wordings, packaged_wordings
from wardround.authoring.ehrsql.questions.splits import split_wordings
from wardround.authoring.ehrsql.questions.suite import make_ehrsql
from wardround.authoring.ehrsql.templates import QuestionTemplate
from wardround.benchmarks.ehrsql.file_scoring.command import evaluate
from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.tasks import NULL, load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import build_hospital
from wardround.scoring.abstention import abstention_scores

NAME = "EHRSQL parser, a hospital"
PATIENTS = 100
TAUGHT, ASKED = 1, 2
# Half the paper's numbers: two questions per template, and half as many unanswerable ones.
SIZE = 0.5
MODE = GRADERS["ehrsql-2024"]
GOALS = {"F1_exe": "goal: at least 85", "RS(0)": "", "RS(10)": ""}


def measure() -> list[Figure]:
    """Measures scores with known and with held-out wordings."""
    with tempfile.TemporaryDirectory() as folder:
        path, test_folder = Path(folder) / "hospital.sqlite", Path(folder) / "asked"
        build_hospital(path, patients=PATIENTS, seed=TAUGHT, schema="ehrsql_mimic_iv")
        make_ehrsql(str(path), test_folder, ASKED, SIZE)
        suite = load_tasks(test_folder / "ehrsql-2024" / "valid")
        with closing(open_database(path)) as database:
            return [
                *_scored("wordings taught", packaged_wordings, suite, database, Path(folder)),
                *_scored("wordings kept out", _training_wordings, suite, database, Path(folder)),
            ]


def _training_wordings(template: QuestionTemplate) -> Sequence[str]:
    """The wordings of a template that the test questions do not use."""
    return split_wordings(template, ASKED)["train"]


def _scored(
    name: str, wordings: Wordings, suite: Suite, database: Database, folder: Path
) -> list[Figure]:
    parser = train(made(database.url, TAUGHT, wordings_for=wordings), database)
    answers = {
        task.id: parser.answer(task.public.question, database).sql or NULL for task in suite.tasks
    }
    results = Results(database)
    run_golds(suite, results, [MODE], folder)
    evaluation = evaluate(suite, results, [MODE], Predictions(answers))
    scores = abstention_scores([item.judged[MODE.name] for item in evaluation.scored])
    return [
        figure(f"{NAME}, {name}: {score}", scores[score] or 0.0, "%", goal or _compared(suite))
        for score, goal in GOALS.items()
    ]


def _compared(suite: Suite) -> str:
    return f"{len(suite.tasks)} questions of another seed"
