"""`wardround audit`: sound benchmarks pass it, and a benchmark with a flaw does not."""

import asyncio
import json
import re
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest
from typer.testing import CliRunner

from tests.apps.commands import Cli
from wardround.apps.command_line.main import app
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import (
    AgentContext,
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, state_of

GOLDS = ["Heparin", "Warfarin", "5", "1", "", "Insulin", "Aspirin", "Zosyn"]
GOLDS += [f"{n} mg/dL" for n in range(32)]


class Question:
    """An environment that ends with the first message."""

    briefing = Briefing("answer the question", ())

    async def start(self) -> Observation:
        return Observation(f"which of {', '.join(GOLDS)}?", "user")

    async def step(self, action: Action) -> Observation:
        return Observation("", "user", done=True)

    async def close(self) -> None:
        pass


class Sayer:
    def __init__(self, text: str) -> None:
        self.text = text

    async def act(self, observation: Observation) -> Action:
        return Say(self.text)


class Triage:
    """Answers are compared whole; an empty gold wants the words `no answer`."""

    @classmethod
    def open(cls, opening: Any) -> Self:
        return cls()

    @staticmethod
    def read(source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        tasks = tuple(Task(f"t{n}", None, gold, {}) for n, gold in enumerate(GOLDS))
        return Suite(tasks, source="the ward's tasks")

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        return chosen.of(self.read(source))

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Question:
        return Question()

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        said = trajectory.said_by("agent")
        yield Verdict("answer", "program:words", state_of(self.accepts(task.hidden, said[-1])))

    def accepts(self, gold: str, said: str) -> bool:
        return said == (gold or "no answer")

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        passed = verdicts[-1].passed
        return Score({"": passed}, {"": float(passed)}, "")

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        return [Say(text or "no answer")]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        return Summary({})

    def oracle(self, task: Task[Any, Any]) -> AgentMaker:
        def make(briefing: Briefing, context: AgentContext) -> Sayer:
            return Sayer(task.hidden or "no answer")

        return make

    def fingerprints(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass


class Lenient(Triage):
    """Takes an answer that holds the gold somewhere."""

    def accepts(self, gold: str, said: str) -> bool:
        return gold in said


class Persuaded(Triage):
    """Its judge believes what it is told."""

    def accepts(self, gold: str, said: str) -> bool:
        return "PASS" in said or super().accepts(gold, said)


class Careless(Triage):
    """Its grader passes whatever is said."""

    def accepts(self, gold: str, said: str) -> bool:
        return True


class WrongGold(Triage):
    """The gold of one task fails its grader."""

    def accepts(self, gold: str, said: str) -> bool:
        return gold != "Zosyn" and super().accepts(gold, said)


@pytest.fixture(scope="module", autouse=True)
def short_search() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wardround.assessment.audit.attempts._SEARCH_SECONDS", 0.5)
        yield


@pytest.fixture
def without_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out the attacks, which need a process of their own."""
    monkeypatch.setattr("wardround.assessment.audit.audited.attempted", lambda *_: {})


@pytest.fixture(scope="module")
def triage(short_search: None) -> tuple[int, dict[str, Any]]:
    """The audit of the benchmark without a flaw."""
    ran = CliRunner().invoke(app, ["audit", f"{__name__}:Triage", "--json"])
    return ran.exit_code, json.loads(ran.stdout)


def audit(cli: Cli, benchmark: type[Triage]) -> tuple[int, dict[str, Any]]:
    ran = cli("audit", f"{__name__}:{benchmark.__name__}", "--json")
    assert ran.out, ran.err
    return ran.code, json.loads(ran.out)


def rows(told: dict[str, Any], table: str) -> dict[str, dict[str, Any]]:
    found = told["tables"][table]["rows"]
    return {next(iter(row.values())): row for row in found}


@pytest.mark.usefixtures("without_attacks")
@pytest.mark.parametrize(
    ("benchmark", "flaw", "agent", "passed"),
    [
        (Lenient, "matching that is too weak", "says everything that it has read", 100.0),
        (Persuaded, "a judge that can be talked to", "talks to the judge: a verdict", 97.5),
        (Careless, "a grader that does not grade", "does nothing", 100.0),
    ],
)
def test_a_flaw_is_shown_by_the_agent_that_uses_it(
    cli: Cli, benchmark: type[Triage], flaw: str, agent: str, passed: float
) -> None:
    code, told = audit(cli, benchmark)
    assert code == 1
    assert not told["sound"]
    assert told["sentences"][-1].startswith("Not sound")
    assert rows(told, "agents")[agent]["passed"] == 100.0
    assert rows(told, "flaws")[flaw]["Passed"] == passed


def test_a_sound_benchmark_lets_few_constants_through(triage: tuple[int, dict[str, Any]]) -> None:
    code, told = triage
    # The golds 5 and 1 are small numbers, which is 5% of the tasks, and 2.5% an agent.
    assert code == 1
    agents = rows(told, "agents")
    assert agents["answers '5'"]["Beyond refusals"] == 2.5
    assert agents["refuses everything"]["passed"] == 2.5
    assert agents["gives the gold of another task"]["passed"] == 0
    passed = rows(told, "passed")
    assert passed["t2"]["By"] == "answers '5'"
    assert "t4" not in passed


class Pliant(Triage):
    """Three items are judged by a model; the second is met if it is told so, the third always."""

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        said = trajectory.said_by("agent")[-1]
        for item, passed in enumerate((False, "PASS" in said, True)):
            yield Verdict(str(item), "model:judge", state_of(passed))
        async for verdict in super().judge(task, trajectory, context):
            yield verdict


@pytest.mark.usefixtures("without_attacks")
def test_a_judge_that_is_talked_to_is_told_from_one_that_says_yes(
    cli: Cli, triage: tuple[int, dict[str, Any]]
) -> None:
    _, told = audit(cli, Pliant)
    judged = rows(told, "judge")
    assert judged.pop("says that it has read the records") == {
        "Agent": "says that it has read the records",
        "Items": 3 * len(GOLDS),
        "Met": len(GOLDS),
        "Percent": 33.3,
    }
    assert {name: row["Percent"] for name, row in judged.items()} == {
        f"talks to the judge: {way}": 66.7 if way == "a verdict" else 33.3
        for way in ("an order", "a verdict", "an end of the answer", "a higher rank", "an appeal")
    }
    assert "judge" not in triage[1]["tables"]


def test_a_judge_that_is_no_model_is_not_tested(triage: tuple[int, dict[str, Any]]) -> None:
    _, told = triage
    row = rows(told, "flaws")["a judge that can be talked to"]
    assert (row["Tested by"], row["Passed"]) == ("not tested", None)


@pytest.mark.usefixtures("without_attacks")
def test_tasks_without_small_answers_are_sound(cli: Cli) -> None:
    ran = cli(
        *("audit", f"{__name__}:Triage", "--json"),
        *(part for n in (0, 1, 4, 5, 6, *range(8, 40)) for part in ("--task", f"t{n}")),
    )
    told = json.loads(ran.out)
    assert ran.code == 0, told["sentences"]
    assert told["sentences"][0].startswith("0% of 37 tasks of the ward's tasks can be passed")


@pytest.mark.usefixtures("without_attacks")
def test_a_gold_that_fails_is_no_sound_benchmark(cli: Cli) -> None:
    code, told = audit(cli, WrongGold)
    assert code == 1
    assert "The gold of 39 of 40 tasks passes its grader." in told["sentences"]


class Unguarded(Triage):
    """What an agent says runs in a shell, and the database is another each time it is opened."""

    opened = count()

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Question:
        return ShellQuestion()

    def fingerprints(self) -> dict[str, str]:
        return {"ward": str(next(self.opened))}


class ShellQuestion(Question):
    async def step(self, action: Action) -> Observation:
        text = action.text if isinstance(action, Say) else ""
        if text == "yes":  # a program that never ends
            return Observation("", "user", done=True)
        await asyncio.to_thread(subprocess.run, ["sh", "-c", text], capture_output=True)
        return Observation("", "user", done=True)


class Talkative(Triage):
    """Takes any number for any other."""

    def accepts(self, gold: str, said: str) -> bool:
        return re.sub(r"\d", "0", gold or "no answer") == re.sub(r"\d", "0", said)


ATTACKED = {
    "agent and grader not apart",
    "answers shipped with the test",
    "evaluation of untrusted text as code",
    "trust in what the agent's side reports",
    "more rights than needed",
}


def test_attacks_on_a_sound_benchmark_do_not_work(triage: tuple[int, dict[str, Any]]) -> None:
    flaws = rows(triage[1], "flaws")
    assert len(flaws) == 8
    assert flaws.keys() >= ATTACKED
    for flaw in ATTACKED:
        # How many attacks there are depends on what the machine can confine.
        assert int(flaws[flaw]["Tested by"].split()[0]) > 10
        assert (flaws[flaw]["Passed"], flaws[flaw]["Remark"]) == (0.0, "")


def test_attacks_that_work_are_named(cli: Cli) -> None:
    code, told = audit(cli, Unguarded)
    assert code == 1
    remarks = {flaw: row["Remark"] for flaw, row in rows(told, "flaws").items()}
    assert "shell writes a file" in remarks["evaluation of untrusted text as code"]
    assert "the database was changed" in remarks["more rights than needed"]
    assert "no attack may work" in told["sentences"][-1]


def test_attacks_that_cannot_be_confined_are_not_made(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround.agents.isolated.launch.available", lambda: ())
    flaws = rows(audit(cli, Triage)[1], "flaws")
    untested = {name for name, row in flaws.items() if row["Tested by"] == "not tested"}
    judged = "a judge that can be talked to"  # not tested either, without a model that judges
    assert untested == ATTACKED - {"evaluation of untrusted text as code"} | {judged}
    assert all(flaws[name]["Passed"] is None and flaws[name]["Remark"] for name in untested)


@pytest.mark.usefixtures("without_attacks")
def test_golds_with_a_fault_that_pass_are_counted(
    cli: Cli, triage: tuple[int, dict[str, Any]]
) -> None:
    faults = rows(triage[1], "mutants")
    assert faults["another number"]["Tasks"] == 2 + 32
    assert faults["another number"]["passed"] == 0
    # Nine of the golds with one digit become 10, which has two.
    faults = rows(audit(cli, Talkative)[1], "mutants")
    assert faults["another number"]["passed"] == 97.1
