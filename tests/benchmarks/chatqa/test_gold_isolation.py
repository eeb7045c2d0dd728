"""Gold is unreachable for agents, their tools and the simulated user, and not in logs."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.reachable import reachable, ways_to
from tests.trials import run_trial
from wardround.agents import json_actions
from wardround.agents import native_tools as tool_calling
from wardround.agents.parser.agents import open_agents
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic, ChatTask
from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing, Task
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Trajectory
from wardround.models import Message, Reply, scripted
from wardround.models.roles import RoleModels

Opener = Callable[..., ChatBenchmark]

GOLD_SQL = "SELECT 'goldsqlmark', COUNT(*) FROM orders"
INSTRUCTION = "Your goal is to count orders. You want the instructionmark kept."
TASK: ChatTask = Task(
    "taskidmark",
    ChatPublic("adapt", "small"),
    ChatHidden(INSTRUCTION, GOLD_SQL, (("goldanswermark",),), "categorymark"),
    {"flow": "adapt", "category": "categorymark"},
)
MARKS = ("goldsqlmark", "goldanswermark", "categorymark")


class Listening:
    """Wraps an agent and records all objects passed to it."""

    def __init__(self, inner: Any, briefing: Briefing, context: AgentContext) -> None:
        self.inner = inner
        self.objects: list[Any] = [briefing, context]

    async def act(self, observation: Observation) -> Action:
        self.objects.append(observation)
        action: Action = await self.inner.act(observation)
        return action


def listening(make: AgentMaker, listeners: list[Listening]) -> AgentMaker:
    def wrapped(briefing: Briefing, context: AgentContext) -> Listening:
        listeners.append(Listening(make(briefing, context), briefing, context))
        return listeners[-1]

    return wrapped


def talkative(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
    return Reply('{"action": "say", "text": "There are <answer>4</answer>."}')


MAKERS: dict[str, Callable[[], AgentMaker]] = {
    "tools": lambda: tool_calling.open_agents(scripted(talkative)),
    "json": lambda: json_actions.open_agents(scripted(talkative)),
    "parser": lambda: open_agents(None),
}


@pytest.mark.parametrize("kind", sorted(MAKERS))
async def test_gold_is_unreachable_from_an_agent(open_chat: Opener, kind: str) -> None:
    listeners: list[Listening] = []
    await run_trial(open_chat(), listening(MAKERS[kind](), listeners), TASK, 0)
    reached = list(reachable([listeners[0].inner, *listeners[0].objects]))
    assert len(reached) > 20
    texts = [thing for thing in reached if isinstance(thing, str)]
    assert any("sql_execute" in text for text in texts), "the walk finds what is there"
    assert not [t for t in texts if any(mark in t for mark in (*MARKS, "taskidmark"))]
    assert not [t for t in reached if isinstance(t, Task | ChatHidden | Trajectory)]


@pytest.mark.parametrize("kind", sorted(MAKERS))
async def test_database_is_unreachable_from_an_agent(open_chat: Opener, kind: str) -> None:
    listeners: list[Listening] = []
    benchmark = open_chat()
    await run_trial(benchmark, listening(MAKERS[kind](), listeners), TASK, 0)
    [opened] = benchmark._databases.values()
    assert ways_to(opened.database, [listeners[0].inner, *listeners[0].objects]) == []


async def test_reachability_walk_finds_planted_gold(open_chat: Opener) -> None:
    listeners: list[Listening] = []
    benchmark = open_chat()
    await run_trial(benchmark, listening(benchmark.oracle(TASK), listeners), TASK, 0)
    texts = [t for t in reachable([listeners[0].inner]) if isinstance(t, str)]
    assert [t for t in texts if "goldanswermark" in t]


async def test_logs_contain_only_ids_and_counts(
    open_chat: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    benchmark = open_chat()
    for make in (benchmark.oracle(TASK), open_agents(None), failing):
        await run_trial(benchmark, make, TASK, 0)
    logged = " ".join(
        record.getMessage() for record in caplog.records if record.name.startswith("wardround")
    )
    assert "taskidmark" in logged, "a failing trial is logged by its task's id"
    for secret in (*MARKS, "instructionmark", "metoprolol", "2100-02-01"):
        assert secret not in logged


async def test_only_the_validator_sees_gold(
    open_chat: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: dict[str, list[str]] = {"user": [], "verifier": [], "validator": []}

    def model_for(role: str) -> Any:
        def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
            prompts[role].append(" ".join(message.text for message in messages))
            return Reply(
                {
                    "user": "How many? ###END###" if len(prompts["user"]) > 1 else "How many?",
                    "verifier": '{"explanation": "fine", "verdict": "accepted"}',
                    "validator": '{"explanation": "fine", "broken_rule": "", "evidence": "", '
                    '"result": "no_error"}',
                }[role]
            )

        return scripted(answer)

    models = RoleModels({})
    monkeypatch.setattr(models, "open", model_for)
    benchmark = open_chat(models, user="model")
    await run_trial(benchmark, MAKERS["tools"](), TASK, 0)
    assert all(prompts.values())
    for role in ("user", "verifier"):
        assert "instructionmark" in prompts[role][0]
        assert not [t for t in prompts[role] if any(mark in t for mark in MARKS)]
    assert "goldsqlmark" in prompts["validator"][0]


def failing(briefing: Briefing, context: AgentContext) -> Any:
    from wardround.core.errors import InfraError

    class Down:
        async def act(self, observation: Observation) -> Action:
            raise InfraError("a provider said: metoprolol")

    return Down()
