"""Scores the model-free parser on EHRSQL 2024: on valid, and on held-out parts of train.

Held out by words: all questions of a fifth of train's wordings, ignoring values and times. Held
out by kinds: all questions of a fifth of train's kinds, which the parser knows from generated
questions only. Training time is that of the command in seconds of wall time, with generation.
"""

import gzip
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Hashable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.agents.parser import Pair, Parser, TrainingPairs, load, train
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.training.training_data import read_training_data
from wardround.authoring.ehrsql.pair_sources import made
from wardround.benchmarks.ehrsql.file_scoring.command import evaluate
from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, load_tasks, pairs_of
from wardround.core.task import Suite
from wardround.ehr.database import Database, open_database
from wardround.scoring.abstention import abstention_scores

DATA = Path(__file__).resolve().parents[1] / "../shared/data/ehrsql-2024"
NAME = "EHRSQL parser"
MODE = GRADERS["ehrsql-2024"]
SHARE = 0.2
# The goal of each score, and the penalty that the parser's threshold is for.
GOALS = {"F1_exe": (90, 10.0), "RS(0)": (92, 0.0), "RS(10)": (82, 10.0)}
KINDS_GOAL = "goal of RS(10) by kinds: at least 75"


def measure() -> list[Figure]:
    """Measures scores, training time, questions per second and memory; [] without the data."""
    if not DATA.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder) / "mimic_iv.sqlite", Path(folder) / "parser.model"
        with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)
        seconds = _train(path, model)
        with closing(open_database(path)) as database:
            return [
                *_valid(load(model), database),
                figure(f"{NAME}: training", seconds, "s", "goal: at most 45 on two cores"),
                *_held_out(database, made(str(path), 1).pairs),
            ]


def _train(database: Path, model: Path) -> float:
    """Trains by the command and returns the seconds of wall time."""
    command = [sys.executable, "-m", "wardround", "train", "parser", "--tasks"]
    start = perf_counter()
    subprocess.run(
        [*command, DATA / "train", "--database", database, "--to", model],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return perf_counter() - start


def _valid(parser: Parser, database: Database) -> list[Figure]:
    valid = load_tasks(DATA / "valid")
    start = perf_counter()
    _answers(parser, valid, database)
    rate = len(valid.tasks) / (perf_counter() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    scores = _scores_by_penalty(parser, valid, database)
    return [
        *(
            figure(f"{NAME}, valid: {name}", scores[name], "%", f"goal: at least {goal}")
            for name, (goal, _) in GOALS.items()
        ),
        figure(f"{NAME}: answering", rate, "questions/s", "goal: at least 50"),
        figure(f"{NAME}: memory", memory, "MiB", "goal: under 500"),
    ]


def _held_out(database: Database, made: Sequence[Pair]) -> list[Figure]:
    suite = load_tasks(DATA / "train")
    tasks: Sequence[EhrsqlTask] = suite.tasks
    data = read_training_data(pairs_of(tasks), database, column_types(database))
    words = [" ".join(reading.masked) for reading in data.readings]
    figures: list[Figure] = []
    for name, groups in (("words", words), ("kinds", data.kinds.of_pairs)):
        held_out = _fifth([group for group in groups if group is not None])
        train = [task for task, group in zip(tasks, groups, strict=True) if group not in held_out]
        test = [task for task, group in zip(tasks, groups, strict=True) if group in held_out]
        parser = trained(train, database, made)
        scores = _scores_by_penalty(parser, Suite(tuple(test), source=suite.source), database)
        compared = f"{len(test)} of {len(tasks)} questions; {KINDS_GOAL}"
        figures += [
            figure(f"{NAME}, kept out by {name}: {score}", scores[score], "%", compared)
            for score in GOALS
        ]
    return figures


def _fifth(groups: Sequence[Hashable]) -> set[Hashable]:
    distinct = list(dict.fromkeys(groups))
    return set(random.Random(0).sample(distinct, round(len(distinct) * SHARE)))


def trained(tasks: Sequence[EhrsqlTask], database: Database, made: Sequence[Pair]) -> Parser:
    """Trains a parser on tasks, with generated questions as background."""
    words = {"current_time": f"'{tasks[0].public.now}'", **normal_ranges()}
    return train(TrainingPairs(pairs_of(tasks), made, words), database)


def _scores_by_penalty(parser: Parser, suite: Suite, database: Database) -> dict[str, float]:
    """Each score, with the parser's threshold for its penalty."""
    scores = {
        penalty: _scores(_answers(parser.with_penalty(penalty), suite, database), suite, database)
        for penalty in {penalty for _, penalty in GOALS.values()}
    }
    return {name: scores[penalty][name] or 0.0 for name, (_, penalty) in GOALS.items()}


def _answers(parser: Parser, suite: Suite, database: Database) -> dict[str, str]:
    return {
        task.id: parser.answer(task.public.question, database).sql or NULL for task in suite.tasks
    }


def _scores(
    answers: Mapping[str, str], suite: Suite, database: Database
) -> dict[str, float | None]:
    results = Results(database)
    run_golds(suite, results, [MODE])
    evaluation = evaluate(suite, results, [MODE], Predictions(answers))
    return abstention_scores([item.judged[MODE.name] for item in evaluation.scored])
