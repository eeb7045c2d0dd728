"""Measures the pages of `wardround view` on a run of 100,000 trials and 2 GB."""

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fastapi.testclient import TestClient

from bench.figures import Figure, figure
from wardround.apps.web.viewer.application import make_viewer
from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.core.run_writer import new_run
from wardround.core.trajectory import Called, Event, Returned, Said, Trajectory
from wardround.report.trial_index.search import opened_index

_TRIALS, _TASKS = 100_000, 20_000
_PASSED = 0.6
_PASSAGES, _WORDS, _LINES = 4_000, 30, 84  # of all trials; of a passage; of a trial
_REPEATS = 15
_GOAL_MS = 200
_PATIENCE = 900
_SETTINGS = {
    "settings": {"benchmark": "chatqa", "trials": 5, "grading": "paper", "options": {}},
    "tasks": {"count": _TASKS},
}
_PATHS = {
    "first page": "/runs/run",
    "far page": "/runs/run?start=90000",
    "outcome and group": "/runs/run?outcome=failed&label=flow%3Dadapt",
    "a frequent and a rare word": "/runs/run?words=word3+word1900",
    "one task": "/runs/run?task=t777",
    "one trial": "/runs/run/trial?task=t777&trial=3",
    "list of runs": "/",
}


def measure() -> list[Figure]:
    """Measures pages while the index grows, its time, and each kind of page afterwards."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch, "run")
        _write(run)
        start = time.perf_counter()
        client = TestClient(make_viewer(run))
        growing = [_milliseconds(client, "/runs/run")]
        while not _is_read(run):
            growing += [_milliseconds(client, path) for path in ("/runs/run", _PATHS["one task"])]
            time.sleep(1)
        seconds = time.perf_counter() - start
        _wait(lambda: b"being computed" not in client.get("/runs/run").content)
        summarized = time.perf_counter() - start
        figures = [
            figure("view, 100,000 trials, index of all words", seconds, "s", ""),
            figure("view, 100,000 trials, index and summary", summarized, "s", ""),
            _pages("while the index grows, median", statistics.median(growing)),
        ]
        return figures + [
            _pages(name, statistics.median(_milliseconds(client, path) for _ in range(_REPEATS)))
            for name, path in _PATHS.items()
        ]


def _pages(name: str, milliseconds: float) -> Figure:
    goal = f"goal: at most {_GOAL_MS}"
    return figure(f"view, 100,000 trials, {name}", milliseconds, "ms", goal)


def _is_read(run: Path) -> bool:
    with opened_index(run) as index:
        return index.progress().is_over


def _wait(is_done: Callable[[], bool]) -> None:
    ends = time.monotonic() + _PATIENCE
    while not is_done():
        if time.monotonic() > ends:
            raise RuntimeError("the run is never summarized")
        time.sleep(0.5)


def _write(folder: Path) -> None:
    """Writes the run; words are as unequally frequent as those of a language."""
    draw = random.Random(0)
    words = [f"word{number}" for number in range(20_000)]
    weights = [1 / (number + 2) for number in range(len(words))]
    passages = [" ".join(draw.choices(words, weights, k=_WORDS)) for _ in range(_PASSAGES)]
    with new_run(folder, _SETTINGS) as writer:
        for number in range(_TRIALS):
            place = writer.add_trajectory(Trajectory(_events(draw, passages)))
            record = _record(number, draw.random() < _PASSED)
            writer.add_trial(replace(record, trajectory=place))


def _events(draw: random.Random, passages: list[str]) -> list[Event]:
    lines = draw.choices(passages, k=_LINES)
    events: list[Event] = [Said("user", lines.pop())]
    while lines:
        events += [
            Called("sql_execute", {"query": f"SELECT {lines.pop()}"}),
            Returned("sql_execute", "\n".join(lines[:8])),
        ]
        del lines[:8]
    return [*events, Said("agent", passages[0])]


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


def _milliseconds(client: TestClient, path: str) -> float:
    """The milliseconds that a page takes."""
    start = time.perf_counter()
    answer = client.get(path)
    if answer.is_error:
        raise RuntimeError(f"{path} is no page")
    return 1000 * (time.perf_counter() - start)
