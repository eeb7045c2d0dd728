"""Writes what a run's agent answered beside its trials, for benchmarks answered in a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from wardround.core.benchmark import Benchmark
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.run_writer import CONFIDENCES, PREDICTIONS, write_whole
from wardround.core.trajectory import Trajectory


def write_predictions(folder: Path, benchmark: Benchmark) -> None:
    """Writes `predictions.json`, and `confidences.json` where the agent said how sure it was.

    The first trial of a task counts; a trial that ended without an answer is left out.
    """
    found = benchmark.predictions(_first_trials(folder))
    sure = {id: made.confidence for id, made in found.items() if made.confidence is not None}
    if found:
        _write(folder / PREDICTIONS, {id: made.answer for id, made in found.items()})
    if sure:
        _write(folder / CONFIDENCES, sure)


def _first_trials(folder: Path) -> Iterator[tuple[str, Trajectory]]:
    for record in read_trials(folder):
        if record.trial == 0:
            yield record.task, read_trajectory(folder, record.trajectory)


def _write(path: Path, content: dict[str, Any]) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
