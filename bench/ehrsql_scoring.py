"""Measures scoring on EHRSQL 2024's train split, compared with a process pool over all pairs.

Both are whole commands, run alternately with one process per processor and without cached golds;
the fastest run of each counts, in wall and in processor seconds. Predictions are the golds, or
equivalent queries with a different text.

With different texts nearly all of the time is SQLite's own: the 4,126 distinct golds take 7.3 s of
processor time in one bare connection, and so do the predictions, of the 17.3 s that the pool takes
and the 18.1 s of `score` (1.7 s of those to start, read and report, 1.5 s in the sandbox). Without
any overhead `score` would be 1.2 times as fast. A larger page cache, memory-mapped reading and an
exclusive lock change SQLite's share by less than 5%, and no prediction compiles to its gold's
bytecode, so that it could be left out.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.benchmarks.ehrsql.result_cache import processors

DATA = Path(__file__).resolve().parents[1] / "../shared/data/ehrsql-2024"
NAME = "EHRSQL scoring, 5,124 pairs"
ROUNDS = 1


@dataclass(frozen=True, slots=True)
class Spent:
    """The time of a command, and the percentage of right predictions in its output."""

    seconds: float
    processor_seconds: float
    right: float


def measure() -> list[Figure]:
    """Compares the speed of scoring with the pool's; no figures without the data."""
    if not DATA.exists():
        return []
    golds = json.loads((DATA / "train" / "label.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mimic_iv.sqlite"
        with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
            shutil.copyfileobj(packed, file)
        return [
            *_figures(path, "golds as predictions", golds),
            *_figures(path, "golds in other words", {id: reworded(golds[id]) for id in golds}),
        ]


def reworded(sql: str) -> str:
    """Rewrites a query so that it has the same rows but another text."""
    return sql if sql == "null" else f"SELECT * FROM ( {sql.strip()} )"


def _figures(path: Path, label: str, predictions: dict[str, str]) -> list[Figure]:
    file = path.with_name("predictions.json")
    file.write_text(json.dumps(predictions), encoding="utf-8")
    rounds = [(_pool(path, file), _score(path, file)) for _ in range(ROUNDS)]
    pool, score = ([spent[side] for spent in rounds] for side in (0, 1))
    assert {spent.right for spent in pool} == {spent.right for spent in score}
    figures = []
    for unit in ("seconds", "processor_seconds"):
        pooled, scored = (min(getattr(spent, unit) for spent in side) for side in (pool, score))
        note = f"goal: at least 2; pool {pooled:.1f} s, wardround {scored:.1f} s"
        note += f"; load {os.getloadavg()[0]:.0f}"
        words = unit.replace("_", " ")
        figures.append(figure(f"{NAME}, {label}: {words}", pooled / scored, "times", note))
    return figures


def _pool(path: Path, predictions: Path) -> Spent:
    script = Path(__file__).with_name("ehrsql_pool.py")
    labels = DATA / "train" / "label.json"
    words = [sys.executable, script, path, labels, predictions, processors()]
    return _spent([str(word) for word in words], {})


def _score(path: Path, predictions: Path) -> Spent:
    with tempfile.TemporaryDirectory() as cache:
        words = [str(Path(sys.executable).with_name("wardround")), "score", "ehrsql"]
        words += ["--predictions", str(predictions), "--labels", str(DATA / "train")]
        words += ["--database", str(path), "--grading", "ehrsql-2024", "--json"]
        return _spent(words, {"XDG_CACHE_HOME": cache})


def _spent(words: list[str], environment: dict[str, str]) -> Spent:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    done = subprocess.run(
        words,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    seconds, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(seconds, processor, round(json.loads(done.stdout)["RS(0)"], 6))
