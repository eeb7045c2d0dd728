"""Scoring EHRSQL 2024's train golds as their own predictions, beside running them one by one.

Scoring is the whole command, from its start to its figures. One by one is each gold and then each
prediction in the same sandbox, in the order of the file, without a cache and without anything
running beside it; of that the queries alone are timed.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.benchmarks.ehrsql.gold import answerable
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.result_cache import SECONDS, run_query
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import open_database

DATA = Path(__file__).resolve().parents[1] / "../shared/data/ehrsql-2024"
NAME = "EHRSQL scoring, 5,124 pairs"
MODE = GRADERS["ehrsql-2024"]


def measure() -> list[Figure]:
    """Speed-up over scoring pairs one by one, cold and warm; nothing without the data."""
    if not DATA.exists():
        return []
    suite = load_tasks(DATA / "train")
    with tempfile.TemporaryDirectory() as folder:
        path, predictions = Path(folder) / "mimic_iv.sqlite", Path(folder) / "predictions.json"
        with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)
        predictions.write_text(json.dumps({task.id: task.hidden.gold for task in suite.tasks}))
        alone = _one_by_one(path, suite)
        first, score = _scored(path, predictions)
        again, _ = _scored(path, predictions)
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


def _scored(path: Path, predictions: Path) -> tuple[float, float]:
    """Seconds, and F1_exe; golds are kept beside the database."""
    words = ["score", "ehrsql", "--predictions", str(predictions), "--labels", str(DATA / "train")]
    words += ["--database", str(path), "--mode", MODE.name, "--json"]
    start = perf_counter()
    done = subprocess.run(
        [Path(sys.executable).with_name("wardround"), *words],
        env=os.environ | {"XDG_CACHE_HOME": str(path.parent)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return perf_counter() - start, json.loads(done.stdout)["F1_exe"]
