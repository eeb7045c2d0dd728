"""The judge of answers: whether there is one, then whether it is right."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from wardround.benchmarks.fhiragentbench.judge import judged
from wardround.benchmarks.fhiragentbench.tasks import FhirTask, Gold, Question
from wardround.core.benchmark import JudgeContext
from wardround.core.task import Task
from wardround.core.tools import ToolSpec
from wardround.models import Message, Reply, scripted


def task(answer: Any) -> FhirTask:
    return Task("t", Question("How many?", "p"), Gold(answer, {}))


@pytest.mark.parametrize(
    ("gold", "replies", "state"),
    [
        ([[3]], [{"answered": True}, {"correct": True}], "passed"),
        ([[3]], [{"answered": True}, {"correct": False}], "failed"),
        ([[3]], [{"answered": False}], "failed"),
        (None, [{"answered": False}], "passed"),
        (None, [{"answered": True}], "failed"),
        ([[3]], ["1"] * 9, "undecided"),
    ],
)
async def test_a_judge_decides(gold: Any, replies: list[Any], state: str) -> None:
    seen: list[str] = []
    left = list(replies)

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        seen.append(messages[-1].text)
        reply = left.pop(0)
        return Reply(reply if isinstance(reply, str) else json.dumps(reply))

    decided, _ = await judged(scripted(answer), task(gold), "There are three.", JudgeContext())
    assert decided == state
    assert "true answer" not in seen[0]
