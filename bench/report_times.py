"""Measures `wardround report` on 20,000 trials: many tasks, and two tasks of many trials."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.figures import Figure, figure
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter

_SHAPES = {"4,000 tasks of 5 trials": (4000, 5), "2 tasks of 10,000 trials": (2, 10_000)}
_GOAL_S = 5


def measure() -> list[Figure]:
    """Measures the wall time of a report as a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "run")
        _wardround("run", "chatqa", "--agent", "oracle", "--limit", "20", "--out", str(run))
        played = read_trials(run)
        figures = []
        for shape, (tasks, trials) in _SHAPES.items():
            with RunWriter(run) as writer:
                writer.rewrite_trials(_trials(played, tasks, trials))
            start = time.perf_counter()
            _wardround("report", str(run))
            seconds = time.perf_counter() - start
            figures.append(figure(f"report of {shape}", seconds, "s", f"goal: at most {_GOAL_S}"))
    return figures


def _trials(played: list[TrialRecord], tasks: int, trials: int) -> Iterator[TrialRecord]:
    """Trials with the given shape, six in ten of them passed."""
    draw = random.Random(0)
    for task in range(tasks):
        for trial in range(trials):
            passed = draw.random() < 0.6
            yield replace(
                played[task % len(played)],
                task=f"t{task}",
                trial=trial,
                outcome=Outcome.PASSED if passed else Outcome.FAILED,
                scores={"paper": float(passed), "strict": float(passed)},
            )


def _wardround(*words: str) -> None:
    command = (sys.executable, "-m", "wardround", *words)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
