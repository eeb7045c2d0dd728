"""A small benchmark whose judge votes three times on each leaf of a rubric.

The environment variable CALLS names a file with a line for each call of the judge, KILL_AT the
number of the call after which the process dies, FAIL the leaf on whose last vote the judge's model
fails, and DOUBT the reason for which the validator is undecided.
"""

import os
import signal
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
from wardround.core.capabilities import Explanation, Validation
from wardround.core.declaration import BenchmarkDeclaration, Grading, Opening, Role
from wardround.core.errors import InfraError
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Requested, Trajectory
from wardround.core.verdict import State, Verdict, state_of, verdict_key, voted
from wardround.models.roles import Models

LEAVES = ("cohort", "dose", "units")
JUDGE, PROGRAM = "model:judge", "program:length"


def strict(request: object) -> str:
    """A judge's model by name; `RubricBenchmark` votes for it."""
    raise NotImplementedError


lenient = strict


class Question:
    """An environment of one question and one answer."""

    briefing = Briefing("answer", ())

    async def start(self) -> Observation:
        return Observation("which dose?", "user")

    async def step(self, action: Action) -> Observation:
        return Observation("", "user", done=True)

    async def close(self) -> None:
        pass


class Answer:
    """Answers with the gold."""

    async def act(self, observation: Observation) -> Action:
        return Say("5 mg")


class RubricBenchmark:
    """Passes a short answer with two of the three leaves."""

    declaration = BenchmarkDeclaration(
        "rubric",
        "a judge, three votes a leaf",
        "tests.runs.rubric_benchmark:RubricBenchmark",
        roles=(Role("judge", "judges the leaves"),),
        gradings=(Grading("paper", "two leaves"), Grading("strict", "all leaves")),
    )

    def __init__(self, model: str) -> None:
        self._model = model

    @classmethod
    def open(cls, opening: Opening[Any, Models]) -> Self:
        model = opening.models.find("judge")
        return cls(model.settings.name if model else "none")

    @staticmethod
    def read(source: Path | None) -> Suite:
        return Suite((Task("dose", None, "5 mg"),), source="the dose")

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        return chosen.of(self.read(source))

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Question:
        _write("played")
        return Question()

    async def validate(
        self, task: Task[Any, Any], trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        doubt = os.environ.get("DOUBT")
        return Validation("undecided", doubt) if doubt else Validation()

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        messages = trajectory.said_by("agent")
        key = verdict_key(PROGRAM, messages)
        if not context.has(key):
            _write("program")
            yield Verdict("length", PROGRAM, state_of(len(messages[-1]) < 10), key=key)
        for leaf in LEAVES:

            async def ask(number: int, leaf: str = leaf) -> State:
                return self._ask(leaf, number, context)

            key = verdict_key(self._model, leaf, messages)
            async for verdict in voted(
                Verdict(leaf, JUDGE, "undecided", key=key), context.known, ask
            ):
                yield verdict

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        passed = {verdict.item for verdict in verdicts if verdict.passed}
        right = "length" in passed and len(passed & set(LEAVES)) >= 2
        all_leaves = right and passed >= set(LEAVES)
        return Score({"paper": right, "strict": all_leaves}, {"paper": float(right)})

    @staticmethod
    def explain(
        task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Explanation:
        votes = ", ".join(f"{v.item} {'/'.join(v.votes)}" for v in verdicts if v.source == JUDGE)
        return Explanation(task.id, "", "".join(trajectory.said_by("agent")[-1:]), votes)

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        return Summary({})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        def make(briefing: Briefing, context: AgentContext) -> Answer:
            return Answer()

        return make

    def fingerprints(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass

    def _ask(self, leaf: str, number: int, context: JudgeContext) -> State:
        if os.environ.get("FAIL") == leaf and number == 2:
            raise InfraError("the provider is down")
        _write(f"{self._model} {leaf} {number}")
        context.record(Requested("judge", self._model, 10, 2, 0.5, 0.0))
        return "passed" if "lenient" in self._model or number else "failed"


def _write(line: str) -> None:
    path = Path(os.environ["CALLS"])
    with path.open("a") as file:
        file.write(f"{line}\n")
    if len(path.read_text().splitlines()) == int(os.environ.get("KILL_AT", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
