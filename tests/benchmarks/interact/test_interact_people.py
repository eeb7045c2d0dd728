"""The simulated user that a run's settings select."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.people import LIMITED, open_users, questions_to
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    Subtask,
    interact_task,
)
from wardround.core.benchmark import TrialContext
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested, Trajectory
from wardround.models import scripted
from wardround.models.client import LanguageModel
from wardround.models.messages import Message, Reply
from wardround.models.model import ModelSettings
from wardround.models.roles import RoleModels
from wardround.people.clarifying.secret import Ambiguity, Secret
from wardround.runs.settings import RunSettings

SECRET = Secret(
    "Who is old?",
    "Which patients are older than 80?",
    ("SELECT name FROM patients WHERE age > 80",),
    (Ambiguity("old", "semantic", ("age > 80",), meaning="Older than 80."),),
)
DECISION = json.dumps({"thought": "so", "action": "ambiguity", "number": 1})
TOLD = "Everybody older than 80."


class Scripted(RoleModels):
    """Models for all roles that answer with these texts in sequence."""

    def __init__(self, *texts: str, prompts: list[str] | None = None) -> None:
        super().__init__({})
        self.texts = iter(texts)
        self.prompts = [] if prompts is None else prompts

    def open(self, role: str) -> LanguageModel:
        def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
            self.prompts += [message.text for message in messages]
            return Reply(next(self.texts))

        return scripted(answer)


def settings(user: str) -> InteractOptions:
    return InteractOptions.model_validate({"user": user})


@pytest.mark.parametrize(
    ("user", "requests"),
    [
        ("model-free", {}),
        ("function-driven", {"reader": DECISION, "user": TOLD}),
        ("baseline", {"user": TOLD}),
    ],
)
async def test_each_user_asks_its_models(user: str, requests: dict[str, str]) -> None:
    trajectory = Trajectory([])
    context = TrialContext(1, Limits(), trajectory)
    play = open_users(settings(user), Scripted(*requests.values()))
    answer = await play(SECRET, context).clarify("From what age is somebody old?", set())
    assert "80" in answer.text
    assert [each.role for each in trajectory.events if isinstance(each, Requested)] == [*requests]


FIRST = Subtask("Who is old?", "BI", SECRET.gold)
SECOND = Subtask(
    "Which wards are the largest?",
    "BI",
    ("SELECT ward FROM wards ORDER BY beds DESC LIMIT 7",),
)
TASK = interact_task(
    "two",
    InteractPublic("Who is old?", "ward"),
    InteractHidden("Which patients are older than 80?", FIRST, SECOND, SECRET.ambiguities),
)
HOW_MANY = "How many rows should the list have at most?"


@pytest.mark.parametrize(
    ("user", "texts"),
    [
        ("function-driven", [json.dumps({"thought": "so", "action": "piece", "number": 1}), "7."]),
        ("baseline", ["<s>The first seven.</s>"]),
    ],
)
async def test_user_on_a_model_knows_only_the_follow_up_in_the_second_stage(
    user: str, texts: list[str]
) -> None:
    prompts: list[str] = []
    trajectory = Trajectory()
    context = TrialContext(1, Limits(), trajectory)
    users = open_users(settings(user), Scripted(*texts, prompts=prompts))
    await questions_to(users, TASK, "", context).answer("second", HOW_MANY)
    assert SECOND.request in prompts[0]
    assert "LIMIT 7" in prompts[0]
    assert not [text for text in prompts if "Who is old?" in text or "FROM patients" in text]


async def test_model_free_user_knows_the_follow_up() -> None:
    context = TrialContext(1, Limits(), Trajectory())
    questions = questions_to(open_users(settings("model-free"), RoleModels({})), TASK, "", context)
    assert "7" in await questions.answer("second", HOW_MANY)
    assert "7" not in await questions.answer("first", HOW_MANY)
    question = "From what age is somebody old?"
    assert "80" in await questions.answer("first", question)
    assert "80" not in await questions.answer("second", question)


@pytest.mark.parametrize("user", ["function-driven", "baseline"])
def test_missing_user_model_is_refused_with_the_option_to_name_it(user: str) -> None:
    with pytest.raises(UserError, match="--role-model user=PROVIDER:NAME"):
        open_users(settings(user), RoleModels({}))


@pytest.mark.parametrize(
    ("benchmark", "user"), [("interact", "ghost"), ("chatqa", "baseline"), ("ehrsql", "model-free")]
)
def test_unknown_user_is_refused(benchmark: str, user: str) -> None:
    options: Any = {"user": user}
    with pytest.raises(UserError, match="--user"):
        RunSettings(benchmark=benchmark, agent="parser", options=options)


@pytest.mark.parametrize(
    ("benchmark", "without", "on_model"),
    [("interact", "model-free", "function-driven"), ("chatqa", "script", "model")],
)
def test_user_is_played_by_a_model_if_it_has_one(
    benchmark: str, without: str, on_model: str
) -> None:
    models = {"user": ModelSettings(name="openai:local")}
    alone = RunSettings(benchmark=benchmark, agent="parser").options
    named = RunSettings(benchmark=benchmark, agent="parser", models=models).options
    assert [getattr(options, "user", "") for options in (alone, named)] == [without, on_model]


def test_a_run_with_the_model_free_user_says_its_limit(caplog: pytest.LogCaptureFixture) -> None:
    open_users(InteractOptions.model_validate({"user": "model-free"}), RoleModels({}))
    assert caplog.messages == [LIMITED]
