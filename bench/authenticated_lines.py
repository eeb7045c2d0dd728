"""Measures the cost of authenticating a run: signing a line, and checking 20,000 trials."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.core.line_chain import Chain
from wardround.core.record import Outcome, PlayedTrial, RoleUse, TrialRecord, record_to_json
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Said, Trajectory

TRIALS = 20_000
_REPEATS = 5


def measure() -> list[Figure]:
    """Measures microseconds a line, and seconds for a run of 20,000 trials of 10 kB each."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WARDROUND_RUN_KEY"] = str(Path(folder) / "key")
        run = Path(folder) / "run"
        with new_run(run, {}) as writer:
            for number in range(TRIALS):
                record = _write(writer, number)
        line = record_to_json(record)
        chain = Chain(os.urandom(32), "run", "trials.jsonl")
        return [
            figure("HMAC of a trial's line", _each(lambda: chain.signed(line)), "µs", "goal: 3"),
            figure("checking 20,000 trials", _seconds(lambda: check_run(run)), "s", "goal: 1"),
            figure("reading 20,000 trials", _seconds(lambda: read_trials(run)), "s", ""),
        ]


def _write(writer: RunWriter, number: int) -> TrialRecord:
    task = f"task-{number:05}"
    played = PlayedTrial(task, 0, number, "finished", 1.0)
    place = writer.add_trajectory(Trajectory([Said("agent", "x" * 10_000)]), played)
    use = {"agent": RoleUse(5, 12_345, 678, 0.0123, 4.5)}
    record = TrialRecord(
        task, 0, number, Outcome.PASSED, "", "finished", {"paper": 1.0, "strict": 1.0},
        {"flow": "x"}, {"actions": 7}, use, 1.0, place,
    )  # fmt: skip
    writer.add_trial(record)
    return record


def _each(work: Callable[[], object]) -> float:
    """The least mean microseconds of a call."""
    return 1e6 * min(_seconds(lambda: [work() for _ in range(2_000)]) for _ in range(5)) / 2_000


def _seconds(work: Callable[[], object]) -> float:
    """The least seconds of a call."""
    best = float("inf")
    for _ in range(_REPEATS):
        started = perf_counter()
        work()
        best = min(best, perf_counter() - started)
    return best
