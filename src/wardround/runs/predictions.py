"""Writes the predictions file of benchmarks that have one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from wardround.core.benchmark import Benchmark
from wardround.core.capabilities import Predictor
from wardround.core.private_files import write_whole
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.run_writer import CONFIDENCES, PREDICTIONS
from wardround.core.trajectory import Trajectory


def write_predictions(folder: Path, benchmark: Benchmark) -> None:
    """Writes `predictions.json`, and `confidences.json` if the agent gave confidences.

    The first trial of a task counts; trials without an answer are omitted.
    """
    if not isinstance(benchmark, Predictor):
        return
    predictions = benchmark.predictions(_first_trials(folder))
    confidences = {id: p.confidence for id, p in predictions.items() if p.confidence is not None}
    if predictions:
        _write(folder / PREDICTIONS, {id: p.answer for id, p in predictions.items()})
    if confidences:
        _write(folder / CONFIDENCES, confidences)


def _first_trials(folder: Path) -> Iterator[tuple[str, Trajectory]]:
    for record in read_trials(folder):
        if record.trial == 0:
            yield record.task, read_trajectory(folder, record.trajectory)


def _write(path: Path, content: dict[str, Any]) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
