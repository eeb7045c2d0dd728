"""A model names causes of failures that the program leaves open."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from tests.benchmarks.chatqa.conftest import Opener
from wardround.benchmarks.chatqa.failures.classifier import FailureClassifier, cause_prompt
from wardround.benchmarks.chatqa.scorer import is_cause_open, score
from wardround.benchmarks.chatqa.tasks import ChatTask, PublishedTask, shipped_tasks
from wardround.core.benchmark import JudgeContext
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Returned, Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply
from wardround.models.roles import RoleModels
from wardround.people.person import END

TASK = shipped_tasks("chatqa-2026.1").tasks[0]


def talk(task: ChatTask, query: str) -> Trajectory:
    trajectory = Trajectory([Said("user", task.hidden.instruction)])
    trajectory.record(Called("sql_execute", {"query": query}))
    trajectory.record(Returned("sql_execute", "[('a stored name',)]"))
    trajectory.record(Said("agent", "That is it."))
    trajectory.record(Said("user", END))
    return trajectory


OPEN = talk(TASK, TASK.hidden.gold_sql + " UNION SELECT 1")
DECIDED = talk(TASK, "SELECT COUNT(")


def classified(answer: str, known: Sequence[Verdict] = ()) -> list[Verdict]:
    async def run() -> list[Verdict]:
        def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
            return Reply(answer)

        context = JudgeContext(known={verdict.key: verdict for verdict in known})
        classifier = FailureClassifier(scripted(reply))
        return [v async for v in classifier.verdicts(TASK, OPEN, context)]

    return asyncio.run(run())


def answered(cause: str) -> str:
    return json.dumps({"explanation": "It forgot a condition.", "cause": cause})


def test_a_classifier_names_a_cause_that_is_open() -> None:
    assert is_cause_open(TASK, OPEN, ())
    assert score(TASK, OPEN, ()).measures == {"failure": "undecided"}
    named = classified(answered("clinical knowledge"))
    assert score(TASK, OPEN, named).measures == {"failure": "clinical knowledge"}
    assert is_cause_open(TASK, OPEN, named)  # a second classifier may be asked


def test_a_classifier_changes_no_cause_of_the_program() -> None:
    assert not is_cause_open(TASK, DECIDED, ())
    named = classified(answered("clinical knowledge"))
    assert score(TASK, DECIDED, named).measures == {"failure": "SQL"}


@pytest.mark.parametrize("answer", [answered("undecided"), answered("bad luck"), "no JSON"])
def test_an_answer_without_a_cause_leaves_it_undecided(answer: str) -> None:
    found = classified(answer)
    assert [verdict.state for verdict in found] == ["undecided"]
    assert score(TASK, OPEN, found).measures == {"failure": "undecided"}


def test_a_known_cause_is_not_asked_again() -> None:
    assert classified("never read", classified(answered("SQL"))) == []


def test_the_prompt_shows_queries_and_no_results() -> None:
    prompt = cause_prompt(TASK, OPEN)
    assert "UNION SELECT 1" in prompt
    assert TASK.hidden.gold_sql in prompt
    assert "a stored name" not in prompt


SMALL = PublishedTask(
    task_id="1",
    task_type="adapt",
    db_id="small",
    instruction="Your goal is to count. Specifically, you want to know who got warfarin.",
    gold_sql="SELECT COUNT(*) FROM orders WHERE drug = 'warfarin'",
    gold_answer=[["one"]],
).as_task()


@pytest.mark.parametrize(
    ("query", "causes"),
    [(SMALL.hidden.gold_sql, ["value linking"]), ("SELECT COUNT(", [])],
    ids=["open", "decided"],
)
async def test_judging_asks_the_classifier_only_where_the_cause_is_open(
    open_chat: Opener, monkeypatch: pytest.MonkeyPatch, query: str, causes: list[str]
) -> None:
    model = scripted(lambda messages, tools: Reply(answered("value linking")))
    models = RoleModels({})
    monkeypatch.setattr(models, "find", {"classifier": model}.get)
    trajectory = talk(SMALL, query)
    trajectory.record(Said("agent", "<answer>two</answer>"))
    found = [v async for v in open_chat(models).judge(SMALL, trajectory, JudgeContext())]
    assert [verdict.reason for verdict in found] == causes
    assert [v async for v in open_chat().judge(SMALL, trajectory, JudgeContext())] == []
