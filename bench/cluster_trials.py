"""Measures many short trials on a Ray cluster of one node: cost a trial, and memory."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Self

import psutil

from bench.figures import Figure, figure
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import (
    AgentContext,
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.declaration import BenchmarkDeclaration, Grading, Opening
from wardround.core.record import TrialRecord
from wardround.core.run_writer import new_run
from wardround.core.task import Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.models.roles import Models
from wardround.runs.batch import run_batch
from wardround.runs.open_run import opened
from wardround.runs.settings import RunSettings

TRIALS = int(os.environ.get("CLUSTER_TRIALS", "40000"))
WARM = 1000
NODE = "127.0.0.21"
PORT = 6421


class Echo:
    """Ends after ten turns."""

    briefing = Briefing("say something", ())

    def __init__(self) -> None:
        self._turns = 0

    async def start(self) -> Observation:
        return Observation("hello", "user")

    async def step(self, action: Action) -> Observation:
        self._turns += 1
        return Observation("and?", "user", done=self._turns == 10)

    async def close(self) -> None:
        pass


class Talker:
    """Says the same ten times."""

    async def act(self, observation: Observation) -> Action:
        return Say("so")


def talker(briefing: Briefing, context: AgentContext) -> Talker:
    """The agent of a trial."""
    return Talker()


class Quick:
    """A benchmark of one task, whose trials take a millisecond."""

    declaration = BenchmarkDeclaration(
        "quick", "Talk.", "bench.cluster_trials:Quick", gradings=(Grading("only", "always"),)
    )

    @classmethod
    def open(cls, opening: Opening[Any, Models]) -> Self:
        return cls()

    @staticmethod
    def read(source: Path | None) -> Suite:
        return Suite((Task("talk", None, None),), source="the bench")

    def load(self, source: Path | None, chosen: Chosen) -> Suite:
        return self.read(source)

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Echo:
        return Echo()

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        return
        yield

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        return Score({"only": True}, {"only": 1.0})

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        return Summary({})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        return talker

    def fingerprints(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass


def measure() -> list[Figure]:
    """Measures trials after the first thousand: their cost by fourths, and the memory at each."""
    with _head() as address:
        marks = asyncio.run(_play(address))
    parts = list(pairwise(marks))
    costs = [1000 * (after[1] - before[1]) / (after[0] - before[0]) for before, after in parts]
    walls = [1000 * (after[2] - before[2]) / (after[0] - before[0]) for before, after in parts]
    memory = [mark[3] / 2**20 for mark in marks]
    shown = ", ".join(f"{cost:.2f}" for cost in costs)
    sizes = ", ".join(f"{size:.0f}" for size in memory)
    return [
        figure(f"CPU of the driver a trial on a cluster, {TRIALS:,} trials", costs[-1], "ms",
               f"goal: within 10% from {WARM:,} on; by fourths: {shown}"),
        figure("trial on a cluster of two workers", sum(walls) / len(walls), "ms",
               "by fourths: " + ", ".join(f"{wall:.2f}" for wall in walls)),
        figure("memory of the driver after the last trial", memory[-1], "MB",
               f"goal: flat; after {WARM:,} and each fourth: {sizes}"),
    ]  # fmt: skip


async def _play(address: str) -> list[tuple[int, float, float, int]]:
    """Trials, CPU seconds, seconds and memory, after the first thousand and each fourth."""
    settings = RunSettings(
        benchmark="bench.cluster_trials:Quick", agent="oracle", trials=TRIALS, cluster=address
    )
    marks: list[tuple[int, float, float, int]] = []
    steps = {WARM + number * (TRIALS - WARM) // 4 for number in range(5)}
    count = 0

    def finished(record: TrialRecord) -> None:
        nonlocal count
        count += 1
        if count in steps:
            memory = psutil.Process().memory_info().rss
            marks.append((count, process_time(), perf_counter(), memory))

    with tempfile.TemporaryDirectory() as folder, opened(settings, Path(folder), print) as run:
        async with run.trials() as trials:
            with new_run(Path(folder) / "run", {}) as writer:
                jobs = [(run.suite.tasks[0], number) for number in range(TRIALS)]
                await run_batch(
                    jobs, trials, writer, Quick.score, concurrency=16, on_finished=finished
                )
    return marks


@contextmanager
def _head() -> Iterator[str]:
    """A cluster of one node with two CPUs, on a loopback address."""
    program = str(Path(sys.executable).parent / "ray")
    place = [f"--node-ip-address={NODE}", f"--port={PORT}", "--num-cpus=2", "--block"]
    quiet = ["--include-dashboard=false", "--disable-usage-stats"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.TemporaryFile() as log:
        head = subprocess.Popen(
            [program, "start", "--head", *place, *quiet, "--object-store-memory=200000000"],
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            while True:
                log.seek(0)
                if b"Ray runtime started" in log.read():
                    break
                assert head.poll() is None
                asyncio.run(asyncio.sleep(0.2))
            yield f"{NODE}:{PORT}"
        finally:
            os.killpg(head.pid, signal.SIGKILL)
            head.wait()
