"""Measures the pages of `wardround view` on a run of 100,000 trials."""

import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from fastapi.testclient import TestClient

from bench.figures import Figure, figure
from wardround.apps.web.run_viewer import make_viewer
from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.core.run_writer import new_run
from wardround.core.trajectory import Returned, Said, Trajectory
from wardround.report.trial_index import opened_index

_TRIALS, _TASKS = 100_000, 20_000
_TRAJECTORIES = 1_000  # which trials share, since each is synced to the disk
_PASSED = 0.6
_WORDS = 120  # of a trial
_REPEATS = 15
_GOAL_MS = 200
_SETTINGS = {
    "settings": {"benchmark": "chatqa", "trials": 5, "grading": "paper", "options": {}},
    "tasks": {"count": _TASKS},
}


def measure() -> list[Figure]:
    """Measures building the index, and each kind of page once its run was summarized."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch, "run")
        _write(run)
        start = time.perf_counter()
        opened_index(run).close()
        figures = [figure("index of 100,000 trials", time.perf_counter() - start, "s", "")]
        client = TestClient(make_viewer(run))
        client.get("/runs/run")  # summarizes the run
        paths = {
            "first page": "/runs/run",
            "far page": "/runs/run?start=90000",
            "outcome and group": "/runs/run?outcome=failed&label=flow%3Dadapt",
            "two words": "/runs/run?words=word17+word301",
            "one task": "/runs/run?task=t777",
            "one trial": "/runs/run/trials/t777/3",
        }
        for name, path in paths.items():
            milliseconds = 1000 * _median(client, path)
            goal = f"goal: at most {_GOAL_MS}"
            figures.append(figure(f"view, 100,000 trials, {name}", milliseconds, "ms", goal))
    return figures


def _write(folder: Path) -> None:
    draw = random.Random(0)
    with new_run(folder, _SETTINGS) as writer:
        places = []
        for _ in range(_TRAJECTORIES):
            words = " ".join(f"word{draw.randrange(2000)}" for _ in range(_WORDS))
            said, returned = Said("user", words[:300]), Returned("sql_execute", words[300:])
            places.append(writer.add_trajectory(Trajectory([said, returned])))
        writer.rewrite_trials(
            replace(_record(number, draw.random() < _PASSED), trajectory=draw.choice(places))
            for number in range(_TRIALS)
        )


def _record(number: int, is_passed: bool) -> TrialRecord:
    return TrialRecord(
        task=f"t{number // 5}",
        trial=number % 5,
        seed=number,
        outcome=Outcome.PASSED if is_passed else Outcome.FAILED,
        reason="",
        ending="finished",
        scores={"paper": float(is_passed), "strict": float(is_passed)},
        labels={"flow": "incre" if number % 2 else "adapt", "database": "mimic_iv_star"},
        counts={"actions": 3},
        use={},
        seconds=1.0,
        trajectory=ByteRange(0, 0),
    )


def _median(client: TestClient, path: str) -> float:
    """The median of the seconds that a page takes."""
    seconds = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        answer = client.get(path)
        seconds.append(time.perf_counter() - start)
        if answer.is_error:
            raise RuntimeError(f"{path} is no page")
    return statistics.median(seconds)
