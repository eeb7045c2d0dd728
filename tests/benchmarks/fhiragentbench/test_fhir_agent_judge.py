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

IDS = {"Observation": ("o",)}
YES, NO = {"answered": True}, {"answered": False}
RIGHT, WRONG = {"correct": True}, {"correct": False}


def task(answer: Any, ids: dict[str, tuple[str, ...]]) -> FhirTask:
    return Task("t", Question("How many?", "p"), Gold(answer, ids))


@pytest.mark.parametrize(
    ("gold", "ids", "text", "replies", "state"),
    [
        ([[3]], IDS, "3", [YES, RIGHT], "passed"),
        ([[3]], IDS, "4", [YES, WRONG], "failed"),
        # The second request is made after "no answer" too.
        ([[0]], IDS, "There is none.", [NO, RIGHT], "passed"),
        ([[3]], IDS, "There is none.", [NO, WRONG], "failed"),
        ([], {"Observation": ()}, "There is none.", [NO, RIGHT], "passed"),
        # Without a type of true resources the truth is "no answer", whatever the file says.
        (None, {}, "There is none.", [NO], "passed"),
        ([[0]], {}, "There is none.", [NO], "passed"),
        (None, {}, "0", [YES, RIGHT], "passed"),
        (None, {}, "5", [YES, WRONG], "failed"),
        ([[3]], IDS, "3", ["1"] * 9, "undecided"),
        ([[3]], IDS, "Error: Input tokens exceeded: 40000 > 32000", [], "failed"),
    ],
)
async def test_a_judge_decides(
    gold: Any, ids: dict[str, tuple[str, ...]], text: str, replies: list[Any], state: str
) -> None:
    seen: list[str] = []
    left = list(replies)

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        assert messages[0].role == "user"
        seen.append(messages[0].text)
        reply = left.pop(0)
        return Reply(reply if isinstance(reply, str) else json.dumps(reply))

    decided, _ = await judged(scripted(answer), task(gold, ids), text, JudgeContext())
    assert decided == state
    assert not replies or "The true answer" not in seen[0]
    if len(replies) == 2:
        assert not left
        truth = "no answer" if not ids else json.dumps(gold, separators=(",", ":"))
        assert seen[1].endswith(f"The true answer: {truth}")
