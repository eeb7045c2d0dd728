"""Many trials at once: bounded, resumable, and exactly once each."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.store import RunWriter, create_run, read_trials
from wardround.core.task import Task
from wardround.core.trajectory import Said, Trajectory
from wardround.core.trial import Attempt, FinishedTrial
from wardround.runs.batch import pass_rate, plan, run_batch

TASKS: list[Task[Any, Any]] = [Task(f"t{n}", None, None, {"flow": "x"}) for n in range(6)]


def finished(task: Task[Any, Any], trial: int) -> FinishedTrial:
    attempt = Attempt(Trajectory([Said("agent", "hi")]), Outcome.PASSED, "", "finished", {})
    return FinishedTrial(task, trial, 0, (attempt,), 0.0)


async def test_at_most_so_many_at_once_and_each_on_disk_before_it_is_told(tmp_path: Path) -> None:
    running = peak = 0
    on_disk: list[int] = []

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.001)
        running -= 1
        return finished(task, trial)

    create_run(tmp_path / "run", {})
    with RunWriter(tmp_path / "run") as writer:
        await run_batch(
            plan(TASKS, 3, []),
            run,
            writer,
            concurrency=4,
            told=lambda record: on_disk.append(len(read_trials(tmp_path / "run"))),
        )
    assert peak == 4
    assert on_disk == list(range(1, 19))


async def test_a_mistake_in_the_settings_stops_the_run_and_keeps_what_was_done(
    tmp_path: Path,
) -> None:
    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        if task.id == "t3":
            raise UserError("the key is wrong")
        return finished(task, trial)

    create_run(tmp_path / "run", {})
    with RunWriter(tmp_path / "run") as writer, pytest.raises(UserError, match="the key is wrong"):
        await run_batch(plan(TASKS, 1, []), run, writer, concurrency=1)
    assert [record.task for record in read_trials(tmp_path / "run")] == ["t0", "t1", "t2"]


@given(done=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 2))))
def test_a_plan_is_exactly_what_is_missing(done: set[tuple[int, int]]) -> None:
    records = [_record(f"t{task}", trial) for task, trial in done]
    planned = [(task.id, trial) for task, trial in plan(TASKS, 3, records)]
    everything = {(task.id, trial) for task in TASKS for trial in range(3)}
    assert len(planned) == len(set(planned))
    assert set(planned) == everything - {record.key for record in records}


def test_all_tasks_come_once_before_any_comes_twice() -> None:
    trials = [trial for _, trial in plan(TASKS, 3, [])]
    assert trials == sorted(trials)


def test_the_pass_rate_leaves_out_what_was_not_scored() -> None:
    records = [_record("a", 0), _record("b", 0, Outcome.FAILED), _record("c", 0, Outcome.UNSCORED)]
    assert pass_rate(records) == 0.5
    assert pass_rate(records[2:]) is None


def test_killed_at_any_moment_a_run_loses_no_finished_trial_and_runs_none_twice(
    tmp_path: Path,
) -> None:
    program = tmp_path / "go.py"
    program.write_text(PROGRAM)
    run = tmp_path / "run"
    for round_ in range(4):
        process = subprocess.Popen([sys.executable, str(program), str(run)])
        while len((run / "told").read_text() if (run / "told").exists() else "") < round_ * 5 + 3:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        told = (run / "told").read_text().split()
        assert set(told) <= {f"{r.task}:{r.trial}" for r in read_trials(run)}
    subprocess.run([sys.executable, str(program), str(run)], check=True)
    lines = (run / "trials.jsonl").read_bytes().splitlines()
    keys = Counter((r["task"], r["trial"]) for r in map(orjson.loads, lines))
    assert keys == Counter({(f"t{t}", n): 1 for t in range(40) for n in range(3)})


PROGRAM = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from wardround.runs.batch import plan, run_batch
    from wardround.core.record import Outcome
    from wardround.core.store import RunWriter, create_run, read_trials
    from wardround.core.task import Task
    from wardround.core.trajectory import Said, Trajectory
    from wardround.core.trial import Attempt, FinishedTrial

    folder = Path(sys.argv[1])
    if not (folder / "run.json").exists():
        create_run(folder, {})
    tasks = [Task(f"t{n}", None, None) for n in range(40)]

    async def run(task, trial):
        await asyncio.sleep(0.002)
        attempt = Attempt(Trajectory([Said("agent", "x" * 500)]), Outcome.PASSED)
        return FinishedTrial(task, trial, 0, (attempt,), 0.0)

    with RunWriter(folder) as writer, (folder / "told").open("a") as told:
        def tell(record):
            told.write(f"{record.task}:{record.trial}\\n")
            told.flush()
        asyncio.run(run_batch(plan(tasks, 3, read_trials(folder)), run, writer, told=tell))
""")


def _record(task: str, trial: int, outcome: Outcome = Outcome.PASSED) -> TrialRecord:
    from wardround.core.record import ByteRange

    return TrialRecord(task, trial, 0, outcome, "", "", {}, {}, {}, {}, 0.0, ByteRange(0, 0))
