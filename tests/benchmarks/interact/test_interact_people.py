"""Who plays the user, by what a run is set to."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.people import open_users
from wardround.core.benchmark import TrialContext
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested, Trajectory
from wardround.models import scripted
from wardround.models.client import LanguageModel
from wardround.models.messages import Message, Reply
from wardround.models.roles import RoleModels
from wardround.models.settings import ModelSettings
from wardround.people.clarifying.model import Ambiguity, Secret
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
    """One model, which writes these texts one after the other."""

    def __init__(self, *written: str) -> None:
        super().__init__({})
        self.texts = iter(written)

    def open(self, role: str) -> LanguageModel:
        def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
            return Reply(next(self.texts))

        return scripted(answer)


def settings(user: str) -> InteractOptions:
    return InteractOptions.model_validate({"user": user})


@pytest.mark.parametrize(
    ("user", "asked"),
    [
        ("model-free", {}),
        ("function-driven", {"reader": DECISION, "user": TOLD}),
        ("baseline", {"user": TOLD}),
    ],
)
async def test_each_user_asks_its_models(user: str, asked: dict[str, str]) -> None:
    trajectory = Trajectory([])
    context = TrialContext(1, Limits(), trajectory)
    play = open_users(settings(user), Scripted(*asked.values()))
    answer = await play(SECRET, context).clarify("From what age is somebody old?", set())
    assert "80" in answer.text
    assert [one.role for one in trajectory.events if isinstance(one, Requested)] == [*asked]


@pytest.mark.parametrize("user", ["function-driven", "baseline"])
def test_without_a_model_it_says_how_to_name_one(user: str) -> None:
    with pytest.raises(UserError, match="--role-model user=PROVIDER:NAME"):
        open_users(settings(user), RoleModels({}))


@pytest.mark.parametrize(
    ("benchmark", "user"), [("interact", "ghost"), ("chatqa", "baseline"), ("ehrsql", "model-free")]
)
def test_a_user_that_a_benchmark_does_not_have_is_refused(benchmark: str, user: str) -> None:
    options: Any = {"user": user}
    with pytest.raises(UserError, match="--user"):
        RunSettings(benchmark=benchmark, agent="parser", options=options)


@pytest.mark.parametrize(
    ("benchmark", "without", "on_model"),
    [("interact", "model-free", "function-driven"), ("chatqa", "script", "model")],
)
def test_a_user_is_on_a_model_if_it_has_one(benchmark: str, without: str, on_model: str) -> None:
    models = {"user": ModelSettings(name="openai:local")}
    alone = RunSettings(benchmark=benchmark, agent="parser").options
    named = RunSettings(benchmark=benchmark, agent="parser", models=models).options
    assert [getattr(options, "user", "") for options in (alone, named)] == [without, on_model]
