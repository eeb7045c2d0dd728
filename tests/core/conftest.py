"""A minimal benchmark: one question, one word that passes."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import (
    AgentContext,
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, Validation
from wardround.core.record import TrialRecord
from wardround.core.task import Briefing, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict


class Echo:
    """An environment whose user asks once and leaves after the first answer."""

    briefing = Briefing("say the word", ())

    async def start(self) -> Observation:
        return Observation("which word?", "user")

    async def step(self, action: Action) -> Observation:
        return Observation("bye", "user", done=isinstance(action, Say))

    async def close(self) -> None:
        pass


class Parrot:
    """An agent that always says one word."""

    def __init__(self, word: str) -> None:
        self.word = word

    async def act(self, observation: Observation) -> Action:
        return Say(self.word)


def parrots(word: str) -> AgentMaker:
    return lambda briefing, context: Parrot(word)


@dataclass
class WordBenchmark:
    """Passes agents that say the task's word; validations and verdicts are configurable."""

    validations: list[Validation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    make_environment: Callable[[], Any] = Echo
    contexts: list[TrialContext] = field(default_factory=list)

    @classmethod
    def open(cls, settings: Any, models: Any) -> Self:
        return cls()

    def load(self, source: Path | None) -> Suite:
        return Suite(tuple(Task(f"t{n}", None, "yes", {"flow": "x"}) for n in range(3)))

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Any:
        self.contexts.append(context)
        return self.make_environment()

    async def validate(
        self, task: Task[Any, Any], trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        return self.validations.pop(0) if self.validations else Validation()

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        for verdict in self.verdicts:
            yield verdict

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        correct = task.hidden in trajectory.said_by("agent")
        passed = correct and all(verdict.passed for verdict in verdicts)
        return Score({"paper": passed, "strict": False}, {"paper": float(passed), "strict": 0.0})

    @staticmethod
    def explain(
        task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Explanation:
        return Explanation(task.id, str(task.hidden), "".join(trajectory.said_by("agent")[-1:]), "")

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        return Summary({})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        return parrots(task.hidden)

    def fingerprints(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass


@pytest.fixture
def benchmark_factory() -> type[WordBenchmark]:
    return WordBenchmark


@pytest.fixture
def parrot_maker() -> Callable[[str], AgentMaker]:
    return parrots


@pytest.fixture
def agent_context() -> AgentContext:
    from wardround.core.trajectory import Ledger

    return AgentContext(0, Ledger())
