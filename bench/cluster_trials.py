"""Measures many short trials on a Ray cluster of three nodes: cost a trial, and memory."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time, sleep
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

TRIALS = int(os.environ.get("CLUSTER_TRIALS", "100000"))
WARM = 1000
NODES = ("127.0.0.21", "127.0.0.22", "127.0.0.23")
ADDRESS = f"{NODES[0]}:6421"


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
    with ExitStack() as nodes:
        for node in NODES:
            nodes.enter_context(_started(node))
        marks = asyncio.run(_play())
    parts = list(pairwise(marks))
    costs = [1000 * (after[1] - before[1]) / (after[0] - before[0]) for before, after in parts]
    walls = [1000 * (after[2] - before[2]) / (after[0] - before[0]) for before, after in parts]
    memory = [mark[3] / 2**20 for mark in marks]
    shown = ", ".join(f"{cost:.2f}" for cost in costs)
    sizes = ", ".join(f"{size:.0f}" for size in memory)
    return [
        figure(f"CPU of the driver a trial on a cluster, {TRIALS:,} trials", costs[-1], "ms",
               f"goal: within 10% from {WARM:,} on; by fourths: {shown}"),
        figure("trial on a cluster of three workers", sum(walls) / len(walls), "ms",
               "by fourths: " + ", ".join(f"{wall:.2f}" for wall in walls)),
        figure("memory of the driver after the last trial", memory[-1], "MB",
               f"goal: flat; after {WARM:,} and each fourth: {sizes}"),
    ]  # fmt: skip


async def _play() -> list[tuple[int, float, float, int]]:
    """Trials, CPU seconds, seconds and memory, after the first thousand and each fourth."""
    settings = RunSettings(
        benchmark="bench.cluster_trials:Quick", agent="oracle", trials=TRIALS, cluster=ADDRESS
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
def _started(node: str) -> Iterator[None]:
    """A node with one CPU on a loopback address; the first is the cluster's head."""
    program = str(Path(sys.executable).parent / "ray")
    role = [f"--address={ADDRESS}"]
    if node == NODES[0]:
        role = ["--head", f"--port={ADDRESS.rpartition(':')[2]}", "--include-dashboard=false"]
        role += ["--disable-usage-stats"]
    place = [f"--node-ip-address={node}", "--num-cpus=1", "--block"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.TemporaryFile() as log:
        started = subprocess.Popen(
            [program, "start", *role, *place, "--object-store-memory=80000000"],
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
                assert started.poll() is None
                sleep(0.2)
            yield
        finally:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
