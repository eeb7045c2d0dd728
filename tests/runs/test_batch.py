"""Batches of trials: bounded concurrency, resumable, each trial exactly once."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records import trial_record
from wardround.core.benchmark import Score
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_trials, unjudged_trials
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.task import Task
from wardround.core.trajectory import Said, Trajectory
from wardround.core.trial import Attempt, FinishedTrial, VerdictListener
from wardround.core.verdict import Verdict
from wardround.runs.batch import pass_rate, plan, run_batch

TASKS: list[Task[Any, Any]] = [Task(f"t{n}", None, None, {"flow": "x"}) for n in range(6)]


def finished(task: Task[Any, Any], trial: int) -> FinishedTrial:
    attempt = Attempt(Trajectory([Said("agent", "hi")]), ending="finished")
    return FinishedTrial(task, trial, 0, (attempt,), 0.0)


@dataclass
class Scripted:
    """Trials that are played by a function; `judged` is called when one is judged."""

    run: Callable[[Task[Any, Any], int], Awaitable[FinishedTrial]]
    judged: Callable[[], Awaitable[None]] | None = None

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        return await self.run(task, trial)

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        if self.judged:
            await self.judged()
        on_verdict(Verdict("all", "program:test", "passed"), ())
        return ""


def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    return Score({"paper": verdicts[0].passed}, {})


async def test_concurrency_is_bounded_and_trials_are_written_before_reporting(
    tmp_path: Path,
) -> None:
    running = peak = 0
    on_disk: list[int] = []

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.001)
        running -= 1
        return finished(task, trial)

    with new_run(tmp_path / "run", {}) as writer:
        await run_batch(
            plan(TASKS, 3, []),
            Scripted(run),
            writer,
            score,
            concurrency=4,
            on_finished=lambda record: on_disk.append(len(read_trials(tmp_path / "run"))),
        )
    assert peak == 4
    assert on_disk == list(range(1, 19))


async def test_judging_has_its_own_concurrency(tmp_path: Path) -> None:
    judging = peak = 0

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        return finished(task, trial)

    async def judged() -> None:
        nonlocal judging, peak
        judging += 1
        peak = max(peak, judging)
        await asyncio.sleep(0.001)
        judging -= 1

    with new_run(tmp_path / "run", {}) as writer:
        jobs = plan(TASKS, 3, [])
        await run_batch(jobs, Scripted(run, judged), writer, score, concurrency=6, judges=2)
    assert peak == 2


async def test_invalid_settings_stop_the_run_and_keep_finished_trials(
    tmp_path: Path,
) -> None:
    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        if task.id == "t3":
            raise UserError("the key is wrong")
        return finished(task, trial)

    with (
        new_run(tmp_path / "run", {}) as writer,
        pytest.raises(UserError, match="the key is wrong"),
    ):
        await run_batch(plan(TASKS, 1, []), Scripted(run), writer, score, concurrency=1, judges=1)
    records = read_trials(tmp_path / "run")
    waiting = [played.task for played, _ in unjudged_trials(tmp_path / "run", records)]
    assert [record.task for record in records] + waiting == ["t0", "t1", "t2"]


@given(done=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 2))))
def test_plan_contains_exactly_the_missing_trials(done: set[tuple[int, int]]) -> None:
    records = [_record(f"t{task}", trial) for task, trial in done]
    planned = [(task.id, trial) for task, trial in plan(TASKS, 3, records)]
    everything = {(task.id, trial) for task in TASKS for trial in range(3)}
    assert len(planned) == len(set(planned))
    assert set(planned) == everything - {record.key for record in records}


@pytest.mark.parametrize("step", ["add_trajectory", "add_trial"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
async def test_full_disk_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
) -> None:
    def fail(*given: object) -> None:
        raise OSError(number, os.strerror(number))

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        return finished(task, trial)

    monkeypatch.setattr(RunWriter, step, fail)
    message = f"{os.strerror(number)}.*wardround resume"
    with new_run(tmp_path / "run", {}) as writer, pytest.raises(UserError, match=message):
        await run_batch(plan(TASKS, 1, []), Scripted(run), writer, score)


async def test_other_errors_are_raised_unchanged(tmp_path: Path) -> None:
    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        raise ZeroDivisionError("by the project")

    with new_run(tmp_path / "run", {}) as writer, pytest.raises(ZeroDivisionError):
        await run_batch(plan(TASKS, 1, []), Scripted(run), writer, score)


async def test_a_trial_is_played_while_another_is_judged(tmp_path: Path) -> None:
    judging, playing = asyncio.Event(), asyncio.Event()

    async def run(task: Task[Any, Any], trial: int) -> FinishedTrial:
        if task.id == "t1":
            playing.set()
            await judging.wait()
        return finished(task, trial)

    async def judged() -> None:
        await playing.wait()
        judging.set()

    with new_run(tmp_path / "run", {}) as writer:
        jobs = plan(TASKS[:2], 1, [])
        batch = run_batch(jobs, Scripted(run, judged), writer, score, concurrency=1, judges=1)
        await asyncio.wait_for(batch, 60)
    assert len(read_trials(tmp_path / "run")) == 2


def test_every_task_runs_once_before_any_repeats() -> None:
    trials = [trial for _, trial in plan(TASKS, 3, [])]
    assert trials == sorted(trials)


def test_pass_rate_excludes_unscored_trials() -> None:
    records = [_record("a", 0), _record("b", 0, Outcome.FAILED), _record("c", 0, Outcome.UNSCORED)]
    assert pass_rate(records) == 0.5
    assert pass_rate(records[2:]) is None


def test_killed_run_loses_no_finished_trial_and_repeats_none(
    tmp_path: Path,
) -> None:
    program = tmp_path / "go.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    run = tmp_path / "run"
    for round_ in range(4):
        process = subprocess.Popen([sys.executable, str(program), str(run)], env=environment)
        while len((run / "told").read_text() if (run / "told").exists() else "") < round_ * 5 + 3:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        told = (run / "told").read_text().split()
        assert set(told) <= {f"{r.task}:{r.trial}" for r in read_trials(run)}
    subprocess.run([sys.executable, str(program), str(run)], env=environment, check=True)
    lines = (run / "trials.jsonl").read_bytes().splitlines()
    keys = Counter((r["task"], r["trial"]) for r in map(orjson.loads, lines))
    assert keys == Counter({(f"t{t}", n): 1 for t in range(40) for n in range(3)})
    written = (run / "trajectories.jsonl").read_bytes().splitlines()
    assert len(written) == 120, "what was written down is not played again"


PROGRAM = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from wardround.runs.batch import plan, run_batch
    from tests.runs.test_batch import Scripted, score
    from wardround.core.run_reader import read_trials
    from wardround.core.run_writer import RunWriter, new_run
    from wardround.core.task import Task
    from wardround.core.trajectory import Said, Trajectory
    from wardround.core.trial import Attempt, FinishedTrial
    from wardround.runs.stored import StoredRun

    folder = Path(sys.argv[1])
    if not (folder / "run.json").exists():
        with new_run(folder, {}):
            pass
    tasks = [Task(f"t{n}", None, None) for n in range(40)]

    async def run(task, trial):
        await asyncio.sleep(0.002)
        played.write(f"{task.id}:{trial}\\n")
        played.flush()
        attempt = Attempt(Trajectory([Said("agent", "x" * 500)]))
        return FinishedTrial(task, trial, 0, (attempt,), 0.0)

    async def judged():
        await asyncio.sleep(0.002)

    with (
        RunWriter(folder) as writer,
        (folder / "told").open("a") as told,
        (folder / "played").open("a") as played,
    ):
        def tell(record):
            told.write(f"{record.task}:{record.trial}\\n")
            told.flush()
        done = read_trials(folder)
        waiting = list(StoredRun(folder).interrupted({task.id: task for task in tasks}, done))
        jobs = plan(tasks, 3, [*done, *(trial.record for trial in waiting)])
        trials = Scripted(run, judged)
        asyncio.run(run_batch(jobs, trials, writer, score, unjudged=waiting, on_finished=tell))
""")


def _record(task: str, trial: int, outcome: Outcome = Outcome.PASSED) -> TrialRecord:
    return trial_record(task, trial, outcome)
