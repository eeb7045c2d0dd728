"""The benchmark, its agent and its work."""

import json
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
    Table,
    TrialContext,
)
from wardround.core.declaration import Opening
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, state_of
from wardround.core.work import WorkContext, WorkResult
from wardround.models.roles import Models

from .declaration import FileOptions, MakeOptions, TriageOptions

TASKS = {"stroke": "red", "cough": "green"}


class Desk:
    """One question."""

    def __init__(self, briefing: Briefing) -> None:
        self.briefing = briefing

    async def start(self) -> Observation:
        return Observation("Which colour?", "nurse")

    async def step(self, action: Action) -> Observation:
        return Observation("", "nurse", done=True)

    async def close(self) -> None:
        pass


class Colour:
    """Says one colour."""

    def __init__(self, colour: str) -> None:
        self._colour = colour

    async def act(self, observation: Observation) -> Action:
        return Say(self._colour)


def open_agents(model: Any, *, guess: str) -> AgentMaker:
    return lambda briefing, context: Colour(guess)


class TriageBenchmark:
    """Patients and colours."""

    def __init__(self, opening: Opening[TriageOptions, Models]) -> None:
        self._options = opening.options
        self._nurse = opening.models.find("nurse")

    @classmethod
    def open(cls, opening: Opening[TriageOptions, Models]) -> Self:
        return cls(opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        tasks = json.loads(source.read_text()) if source else TASKS
        return Suite(tuple(Task(id, None, gold) for id, gold in tasks.items()), source="triage")

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        return chosen.of(self.read(source))

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Desk:
        return Desk(Briefing(f"{task.id} in the {self._options.ward}", ()))

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        said = trajectory.said_by("agent")
        yield Verdict("colour", "program:colour", state_of(said[-1:] == [task.hidden]), key=task.id)

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        right = all(verdict.passed for verdict in verdicts)
        return Score({"paper": True, "strict": right}, {"paper": 1.0, "strict": float(right)})

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        right = sum(trial.outcome == "passed" for trial in trials)
        return Summary({"triage": Table("Triage", ("trials", "right"), ((len(trials), right),))})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        def make(briefing: Briefing, context: AgentContext) -> Colour:
            return Colour(task.hidden)

        return make

    def fingerprints(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    options.to.write_text(json.dumps(TASKS))
    return WorkResult(notes=(f"Written to {options.to}.",))


def score_file(options: FileOptions, context: WorkContext[object]) -> WorkResult:
    answers = json.loads(options.file.read_text())
    right = sum(TASKS.get(id) == colour for id, colour in answers.items())
    return WorkResult(Summary({"file": Table("File", ("right",), ((right,),))}))
