"""Trials of sessions with the oracle, or with an agent that plays given actions."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from typing import Any

from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.declaration import BENCHMARK, STRICT, AssistOptions
from wardround.benchmarks.assist.sessions import Session
from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentContext, JudgeContext, Score, TrialContext
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.loop import Turns, converse
from wardround.core.trajectory import Ledger, Trajectory
from wardround.core.verdict import Verdict
from wardround.models.client import LanguageModel


class NamedModels:
    """A judge and a patient, or nobody."""

    def __init__(
        self, judge: LanguageModel | None = None, patient: LanguageModel | None = None
    ) -> None:
        self._named = {"judge": judge, "patient": patient}

    def find(self, role: str) -> LanguageModel | None:
        return self._named[role]

    def open(self, role: str) -> LanguageModel:
        model = self._named[role]
        if model is None:
            raise UserError(f"no model for {role}")
        return model

    async def close(self) -> None:
        pass


class Script:
    """Plays given actions, and keeps what it observes."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._actions: Iterator[Action] = iter(actions)
        self.seen: list[Observation] = []

    async def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        return next(self._actions)


def opened(
    judge: LanguageModel | None = None,
    grading: str = STRICT,
    speaker: LanguageModel | None = None,
    **options: Any,
) -> AssistBenchmark:
    """The benchmark on the record of the hand-written sessions; `speaker` plays the patient."""
    models = NamedModels(judge, speaker)
    chosen = AssistOptions(**{"sessions": "hand_written", **options})
    opening = Opening(chosen, {}, BENCHMARK.limits, models, grading)
    return AssistBenchmark.open(opening)


def play(
    benchmark: AssistBenchmark,
    task: Session,
    actions: Iterable[Action] | None = None,
    recorded: Trajectory | None = None,
) -> tuple[Trajectory, list[Observation]]:
    """A trial with given actions, or with the oracle's; people repeat a recorded one."""
    return asyncio.run(_play(benchmark, task, actions, recorded))


async def _play(
    benchmark: AssistBenchmark,
    task: Session,
    actions: Iterable[Action] | None,
    recorded: Trajectory | None,
) -> tuple[Trajectory, list[Observation]]:
    trajectory = Trajectory()
    context = TrialContext(0, Limits(), trajectory, recorded=recorded)
    environment = await benchmark.environment(task, context)
    async with AsyncExitStack() as cleanup:
        agents = AgentContext(0, Ledger(), cleanup)
        made: Any = benchmark.oracle(task)(environment.briefing, agents)
        agent = Script(actions) if actions is not None else made
        await converse(agent, Turns(environment, trajectory, Limits(actions=200)))
    await environment.close()
    return trajectory, getattr(agent, "seen", [])


def judged(benchmark: AssistBenchmark, task: Session, trajectory: Trajectory) -> list[Verdict]:
    """The verdicts on a trial."""

    async def collect() -> list[Verdict]:
        return [v async for v in benchmark.judge(task, trajectory, JudgeContext())]

    return asyncio.run(collect())


def graded(benchmark: AssistBenchmark, task: Session, trajectory: Trajectory) -> Score:
    """The score of a trial."""
    return benchmark.score(task, trajectory, judged(benchmark, task, trajectory))
