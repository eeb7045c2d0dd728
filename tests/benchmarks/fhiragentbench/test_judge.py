"""The judge: two questions, and its agreement with the comparison."""

from collections.abc import Sequence
from typing import Any

from tests.benchmarks.fhiragentbench.conftest import Opener
from tests.benchmarks.fhiragentbench.test_benchmark import TASKS, played
from wardround.benchmarks.fhiragentbench.benchmark import FhirAgentBenchmark
from wardround.core.actions import Say
from wardround.core.record import ByteRange, TrialRecord
from wardround.core.tools import ToolSpec
from wardround.models import Message, Reply, scripted


class OneModel:
    """The models of a run with a judge only."""

    def __init__(self, answered: bool, correct: bool) -> None:
        self.asked: list[str] = []
        self._answers = {"answered": answered, "correct": correct}

    def find(self, role: str) -> object:
        return scripted(self._reply)

    def _reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        text = str(messages[0].text)
        name = "correct" if '{"correct": true}' in text else "answered"
        self.asked.append(name)
        return Reply(f'{{"{name}": {str(self._answers[name]).lower()}}}')


async def grade(open_benchmark: Opener, task: str, answer: str, judge: OneModel) -> Any:
    trial, _ = await played(open_benchmark(judge), TASKS[task], Say(answer))
    return trial.last


def recorded(last: Any) -> TrialRecord:
    return TrialRecord(
        task="stays-1",
        trial=0,
        seed=0,
        outcome=last.outcome,
        reason="",
        ending=last.ending,
        scores=last.rewards,
        labels={"types": "Encounter"},
        counts={"attempts": 1},
        use={},
        seconds=0.0,
        trajectory=ByteRange(0, 0),
        measures=last.measures,
    )


async def test_the_judge_decides_the_paper_grading(open_benchmark: Opener) -> None:
    judge = OneModel(answered=True, correct=True)
    last = await grade(open_benchmark, "stays-1", "[5]", judge)
    assert last.rewards == {"strict": 0.0, "paper": 1.0}
    assert judge.asked == ["answered", "correct"]
    (row,) = FhirAgentBenchmark.summarize([recorded(last)]).tables["graders"].rows
    assert row == ("comparison and judge", 1, 0.0)


async def test_no_answer_is_right_where_there_is_none(open_benchmark: Opener) -> None:
    judge = OneModel(answered=False, correct=False)
    last = await grade(open_benchmark, "never-measured-1", "It was never measured.\n[]", judge)
    assert last.rewards == {"strict": 1.0, "paper": 1.0}
    assert judge.asked == ["answered"]


async def test_a_refusal_is_wrong_where_there_is_an_answer(open_benchmark: Opener) -> None:
    judge = OneModel(answered=False, correct=True)
    last = await grade(open_benchmark, "stays-1", "I cannot tell.", judge)
    assert last.rewards["paper"] == 0
    assert judge.asked == ["answered"]
