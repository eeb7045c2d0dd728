"""The model-free parser on EHRSQL 2024: valid, and questions kept out of train, by words and kinds.

Kept out by words: a fifth of the train questions, at random. Kept out by kinds: all questions of a
fifth of train's kinds, which the parser then knows from made questions alone.
"""

import gzip
import random
import resource
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.figures import Figure, figure
from wardround.agents.parser import Pair, Parser, train
from wardround.agents.parser.training import kinds_of
from wardround.apps.teaching import MADE
from wardround.benchmarks.ehrsql.evaluate import evaluate, run_golds
from wardround.benchmarks.ehrsql.making.pairs import made_pairs
from wardround.benchmarks.ehrsql.modes import MODES
from wardround.benchmarks.ehrsql.pairs import pairs_of
from wardround.benchmarks.ehrsql.placeholders import normal_ranges
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.results import Results
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import Database, open_database
from wardround.scoring.abstention import figures

DATA = Path(__file__).resolve().parents[1] / "../shared/data/ehrsql-2024"
NAME = "EHRSQL parser"
MODE = MODES["ehrsql-2024"]
SHARE = 0.2


def measure() -> list[Figure]:
    """Scores, seconds of training, questions a second and memory; nothing without the data."""
    if not DATA.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mimic_iv.sqlite"
        with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)
        made = made_pairs(str(path), 1, MADE)
        database = open_database(path)
        try:
            return [
                *_valid(database, made),
                *_kept_out(database, made),
            ]
        finally:
            database.close()


def _valid(database: Database, made: Sequence[Pair]) -> list[Figure]:
    asked, valid = load_tasks(DATA / "train"), load_tasks(DATA / "valid")
    start = process_time()
    parser = trained(asked.tasks, database, made)
    seconds = process_time() - start
    start = perf_counter()
    scores = _scores(parser, valid, database)
    rate = len(valid.tasks) / (perf_counter() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    goals = {"F1_exe": 90, "RS(0)": 85, "RS(10)": 70}
    return [
        *(
            figure(f"{NAME}, valid: {name}", scores[name] or 0.0, "%", f"goal: at least {goal}")
            for name, goal in goals.items()
        ),
        figure(f"{NAME}: training", seconds, "s", "goal: under 30, on one core"),
        figure(f"{NAME}: answering and scoring", rate, "questions/s", "goal: at least 50"),
        figure(f"{NAME}: memory", memory, "MiB", "goal: under 500"),
    ]


def _kept_out(database: Database, made: Sequence[Pair]) -> list[Figure]:
    suite = load_tasks(DATA / "train")
    tasks: Sequence[EhrsqlTask] = suite.tasks
    kinds = kinds_of(pairs_of(tasks), database)
    chance = random.Random(0)
    known = sorted({kind for kind in kinds if kind is not None})
    gone = set(chance.sample(known, round(len(known) * SHARE)))
    by_kind = [kind in gone for kind in kinds]
    by_words = [chance.random() < SHARE for _ in tasks]
    found: list[Figure] = []
    for name, out in (("words", by_words), ("kinds", by_kind)):
        kept = [task for task, away in zip(tasks, out, strict=True) if not away]
        tried = [task for task, away in zip(tasks, out, strict=True) if away]
        parser = trained(kept, database, made)
        scores = _scores(parser, Suite(tuple(tried), source=suite.source), database)
        compared = f"{len(tried)} of {len(tasks)} questions"
        found += [
            figure(f"{NAME}, kept out by {name}: {score}", scores[score] or 0.0, "%", compared)
            for score in ("F1_exe", "RS(0)", "RS(10)")
        ]
    return found


def trained(tasks: Sequence[EhrsqlTask], database: Database, made: Sequence[Pair]) -> Parser:
    """A parser that has learnt from tasks, and from made questions beside them."""
    words = {"current_time": f"'{tasks[0].public.now}'", **normal_ranges()}
    return train(pairs_of(tasks), database, made, words)


def _scores(parser: Parser, suite: Suite, database: Database) -> dict[str, float | None]:
    answers = {task.id: parser.answer(task.public.question).sql or NULL for task in suite.tasks}
    results = Results(database)
    run_golds(suite, results, [MODE])
    found = evaluate(suite, results, [MODE], Predictions(answers))
    return figures([one.judged[MODE.name] for one in found.scored])
