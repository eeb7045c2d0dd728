"""Scoring EHRSQL 2024's train golds as their own predictions, beside running them one by one.

One by one is each gold and then each prediction in the same sandbox, in the order of the file,
without a cache and without anything running beside it.
"""

import gzip
import shutil
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.figures import Figure, figure
from wardround.benchmarks.ehrsql.evaluate import evaluate, run_golds
from wardround.benchmarks.ehrsql.gold import answerable
from wardround.benchmarks.ehrsql.modes import MODES
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.results import SECONDS, Results, processors, run_query
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import Limits, open_database
from wardround.scoring.abstention import figures

DATA = Path(__file__).resolve().parents[1] / "../shared/data/ehrsql-2024"
NAME = "EHRSQL scoring, 5,124 pairs"
MODE = MODES["ehrsql-2024"]


def measure() -> list[Figure]:
    """How many times as fast as one by one, at first and again; nothing without the data."""
    if not DATA.exists():
        return []
    suite = load_tasks(DATA / "train")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mimic_iv.sqlite"
        with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)
        alone = _one_by_one(path, suite)
        first, score = _scored(path, suite, Path(folder))
        again, _ = _scored(path, suite, Path(folder))
    compared = f"goal: at least 5; one by one {alone:.1f} s"
    return [
        figure(f"{NAME}: no gold known", alone / first, "times", f"{compared}, {first:.1f} s"),
        figure(f"{NAME}: golds kept", alone / again, "times", f"{compared}, {again:.1f} s"),
        figure(f"{NAME}: F1_exe", score, "%", "goal: 100"),
    ]


def _one_by_one(path: Path, suite: Suite) -> float:
    queries = [MODE.written(t.hidden.gold or "", t.public.now) for t in answerable(suite.tasks)]
    database = open_database(path)
    start = perf_counter()
    for sql in queries:
        for _ in ("gold", "prediction"):
            run_query(database, sql, SECONDS)
    seconds = perf_counter() - start
    database.close()
    return seconds


def _scored(path: Path, suite: Suite, kept: Path) -> tuple[float, float]:
    """Seconds, and F1_exe."""
    predictions = Predictions({task.id: task.hidden.gold or "" for task in suite.tasks})
    start = perf_counter()
    database = open_database(path, Limits(processes=processors()))
    results = Results(database)
    run_golds(suite, results, [MODE], kept)
    found = evaluate(suite, results, [MODE], predictions)
    score = figures([one.judged[MODE.name] for one in found.scored])["F1_exe"]
    database.close()
    return perf_counter() - start, score or 0.0
