"""Agents on language models: what they tell the model, and what they make of its answers."""

from collections.abc import Sequence

import orjson
import pytest

from wardround.agents import json_actions, react
from wardround.agents import native_tools as tool_calling
from wardround.core.actions import Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.environment import Agent
from wardround.core.errors import AgentError, UserError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec, tool
from wardround.core.trajectory import Ledger
from wardround.models import Message, ModelCall, Reply, scripted


def beds(ward: str, k: int = 3) -> str:
    """Lists beds."""
    return f"{k} beds in {ward}"


BRIEFING = Briefing("Help the user.", (tool(beds).spec,))


class Line:
    """A model that answers from a list and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[list[Message]] = []

    def __call__(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        self.asked.append(list(messages))
        return self.replies.pop(0)


def opened(line: Line, kind: str) -> tuple[Agent, Ledger]:
    ledger = Ledger()
    module = {"tools": tool_calling, "json": json_actions, "react": react}[kind]
    return module.open_agents(scripted(line))(BRIEFING, AgentContext(1, ledger)), ledger


def call(name: str = "beds", problem: str = "", number: int = 1) -> ModelCall:
    return ModelCall(f"c{number}", name, {} if problem else {"ward": "icu"}, problem)


def user(text: str) -> Observation:
    return Observation(text, "user")


async def test_a_native_call_is_carried_out_and_its_result_goes_back_to_it() -> None:
    line = Line(Reply("thinking", (call(),)), Reply("There are 3."))
    agent, ledger = opened(line, "tools")
    assert await agent.act(user("how many beds?")) == Call("beds", {"ward": "icu"})
    assert await agent.act(Observation("3 beds", "tool")) == Say("There are 3.")
    assert [m.role for m in line.asked[1]] == ["system", "user", "assistant", "tool"]
    assert line.asked[1][-1] == Message("tool", "3 beds", call_id="c1", tool="beds")
    assert [request.role for request in ledger.requests] == ["agent", "agent"]


async def test_what_cannot_be_read_is_told_to_the_model() -> None:
    line = Line(Reply("", (call(problem="no JSON object"),)), Reply("  "), Reply("here"))
    agent, _ = opened(line, "tools")
    assert await agent.act(user("go")) == Say("here")
    assert line.asked[1][-1] == Message("tool", "no JSON object", call_id="c1", tool="beds")
    assert line.asked[2][-1] == Message("user", tool_calling.NUDGE)


async def test_a_model_that_says_nothing_three_times_fails() -> None:
    agent, _ = opened(Line(*[Reply("")] * 3), "tools")
    with pytest.raises(AgentError, match="3 times"):
        await agent.act(user("go"))


def turn(**fields: object) -> Reply:
    return Reply(orjson.dumps(fields).decode())


async def test_json_actions_are_read_from_the_answer() -> None:
    line = Line(
        turn(action="beds", arguments={"ward": "icu"}), turn(action="say", text="There are 3.")
    )
    agent, _ = opened(line, "json")
    assert await agent.act(user("how many?")) == Call("beds", {"ward": "icu"})
    assert await agent.act(Observation("3 beds", "tool")) == Say("There are 3.")
    system = line.asked[0][0].text
    assert system.startswith("Help the user.")
    assert "- beds(ward, k?): Lists beds." in system
    assert line.asked[1][-1] == Message("user", "Result of the tool:\n3 beds")


@pytest.mark.parametrize(
    "wrong",
    [
        {"action": "fly"},
        {"action": "say", "text": " "},
        {"action": "beds", "arguments": "icu"},
        {"action": "beds", "arguments": {"k": 3}},
        {"action": "beds"},
        {"turn": "beds"},
    ],
)
async def test_a_wrong_json_action_is_repaired(wrong: dict[str, object]) -> None:
    agent, ledger = opened(Line(turn(**wrong), turn(action="say", text="ok")), "json")
    assert await agent.act(user("go")) == Say("ok")
    assert len(ledger.requests) == 2


async def test_the_form_of_json_actions_holds_each_tool_with_its_arguments() -> None:
    line = Line(turn(turn={"action": "beds", "arguments": {"ward": "icu"}}))
    agent, _ = opened(line, "json")
    assert await agent.act(user("go")) == Call("beds", {"ward": "icu"})
    form = json_actions.turn_schema(BRIEFING.tools).model_json_schema()
    said, called = form["properties"]["turn"]["anyOf"]
    assert said["properties"]["action"] == {"const": "say"}
    assert called["properties"]["action"] == {"const": "beds"}
    assert called["properties"]["arguments"]["required"] == ["ward"]
    assert called["required"] == ["action", "arguments"]


async def test_a_model_that_never_gives_an_action_fails_by_itself() -> None:
    agent, _ = opened(Line(*[Reply("no JSON here")] * 9), "json")
    with pytest.raises(AgentError):
        await agent.act(user("go"))


async def test_react_thinks_aloud_and_its_made_up_results_are_cut_off() -> None:
    thought = 'Thought: I look.\nAction: beds {"ward": "icu"}\nObservation: 9 beds\nSay: 9.'
    line = Line(Reply(thought), Reply("Thought: enough.\nSay: There are 3."))
    agent, _ = opened(line, "react")
    assert await agent.act(user("how many?")) == Call("beds", {"ward": "icu"})
    assert await agent.act(Observation("3 beds", "tool")) == Say("There are 3.")
    assert "9 beds" not in line.asked[1][-2].text
    assert line.asked[1][-1] == Message("user", "Observation: 3 beds")


@pytest.mark.parametrize("name", ["Patient.search", "look-up", "beds"])
def test_react_reads_names_with_dots(name: str) -> None:
    assert react.read_action(f'Action: `{name}` {{"_count": 3}}') == Call(name, {"_count": 3})
    assert react.read_action(f"Action: {name}") == Call(name)


@pytest.mark.parametrize(
    "wrong", ["", "I wonder.", "Action:", "Say: ", "Action: beds {icu}", "Action: beds [1]"]
)
async def test_a_react_reply_without_an_action_is_asked_for_again(wrong: str) -> None:
    line = Line(Reply(wrong), Reply("Action: beds"))
    agent, ledger = opened(line, "react")
    assert await agent.act(user("go")) == Call("beds", {})
    assert len(ledger.requests) == 2


async def test_react_that_never_acts_fails_by_itself() -> None:
    agent, _ = opened(Line(*[Reply("I wonder.")] * 9), "react")
    with pytest.raises(AgentError):
        await agent.act(user("go"))


@pytest.mark.parametrize("module", [tool_calling, json_actions, react])
def test_without_a_model_the_setting_is_named(module: object) -> None:
    with pytest.raises(UserError, match="--model"):
        module.open_agents(None)  # type: ignore[attr-defined]
