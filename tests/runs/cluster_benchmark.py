"""A benchmark whose trials tell which node played them, and where its database lies."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Self

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
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, state_of
from wardround.models.roles import Models
from wardround.runs.agent_files import content_digest

NOTHING = "nothing"
SECONDS = 0.05
ITEMS = ("reach", "words")


class Ward:
    """Shows the agent a node's name, the path of the database, and a port of the cluster."""

    briefing = Briefing("reach what you can", ())

    def __init__(self, database: Path) -> None:
        self._database = database

    async def start(self) -> Observation:
        node, port = os.environ.get("NODE", "none"), os.environ.get("CLUSTER_PORT", "0")
        return Observation(f"{node} {self._database} {port} {os.getpid()}", "ward")

    async def step(self, action: Action) -> Observation:
        await asyncio.sleep(SECONDS)
        return Observation("", "ward", done=True)

    async def close(self) -> None:
        pass


class Quiet:
    """Reaches nothing."""

    async def act(self, observation: Observation) -> Action:
        return Say(NOTHING)


def quiet(briefing: Briefing, context: AgentContext) -> Quiet:
    return Quiet()


class ClusterBenchmark:
    """Passes an agent that reached nothing."""

    declaration = BenchmarkDeclaration(
        "ward",
        "a node and its database",
        "tests.runs.cluster_benchmark:ClusterBenchmark",
        gradings=(Grading("only", "nothing was reached"),),
    )

    def __init__(self, database: Path) -> None:
        self._database = database

    @classmethod
    def open(cls, opening: Opening[Any, Models]) -> Self:
        return cls(Path(opening.databases["ward"]))

    @staticmethod
    def read(source: Path | None) -> Suite:
        return Suite(tuple(Task(f"w{n}", None, None) for n in range(20)), source="the ward")

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        return chosen.of(self.read(source))

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Ward:
        self._database.read_bytes()
        return Ward(self._database)

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        said = trajectory.said_by("agent")[-1]
        for item in ITEMS:
            if not context.has(item):
                yield Verdict(item, "program:reach", state_of(said == NOTHING), key=item)
                await asyncio.sleep(SECONDS)

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        right = {verdict.item for verdict in verdicts if verdict.passed} == {*ITEMS}
        return Score({"only": right}, {"only": float(right)})

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        return Summary({})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        return quiet

    def fingerprints(self) -> dict[str, str]:
        return {"ward": content_digest(self._database)}

    def close(self) -> None:
        pass
