"""Structured answers, waits and translation, without a server."""

import asyncio
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.profiles import ModelProfile

from wardround.core.errors import MalformedAnswerError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models import Message, Reply, scripted
from wardround.models.client import read_answer
from wardround.models.exchange import Request
from wardround.models.retry import LONGEST_WAIT, wait_before
from wardround.models.translate import from_response, to_messages, to_parameters


class Verdict(BaseModel):
    passed: bool
    why: str = ""


READABLE = {
    '{"passed": true}': "",
    'Sure!\n```json\n{"passed": true}\n```\nDone.': "",
    '```\n{"passed": true, "why": "```sql\\nSELECT {1}```"}\n```': "```sql\nSELECT {1}```",
    ' {"passed": true, "why": "a } brace"}': "a } brace",
}


@pytest.mark.parametrize("text", READABLE)
def test_text_around_an_answer_is_ignored(text: str) -> None:
    assert read_answer(Reply(text), Verdict) == Verdict(passed=True, why=READABLE[text])


def test_a_model_repairs_its_answer_from_the_errors() -> None:
    texts: list[str] = []
    answers = iter(["no idea", '{"passed": 3}', '{"passed": true}'])
    requests: list[Requested] = []

    def answer(messages: Any, tools: Any) -> Reply:
        texts.append(messages[-1].text)
        return Reply(next(answers))

    model = scripted(answer, name="judge").bind("validator", requests.append, None)
    verdict = asyncio.run(model.structured([Message("user", "Did it pass?")], Verdict))
    assert verdict == Verdict(passed=True)
    assert "Invalid JSON" in texts[1]
    assert "passed: Input should be a valid boolean" in texts[2]
    assert [(r.role, r.model, r.cost) for r in requests] == [("validator", "judge", 0.0)] * 3


def test_a_malformed_answer_is_not_quoted() -> None:
    model = scripted(lambda m, t: Reply('{"passed": "SECRET"}')).bind("user", lambda r: None, None)
    with pytest.raises(MalformedAnswerError) as caught:
        asyncio.run(model.structured([Message("user", "Did it pass?")], Verdict))
    assert "SECRET" not in str(caught.value)


def test_a_scripted_model_gets_the_tools() -> None:
    tools = [ToolSpec("sql_execute", "Runs SQL.", {"type": "object"})]
    model = scripted(lambda m, t: Reply(t[0].name)).bind("agent", lambda r: None, None)
    assert asyncio.run(model.chat([Message("user", "Go")], tools)).text == "sql_execute"


@given(st.integers(0, 40), st.floats(0.01, 10), st.integers())
def test_waits_double_up_to_a_limit_and_vary_by_half(
    attempt: int, first_wait: float, seed: int
) -> None:
    full_wait = min(first_wait * 2**attempt, LONGEST_WAIT)
    wait = wait_before(attempt, None, first_wait, Random(seed))
    assert full_wait / 2 <= wait <= full_wait
    assert wait == wait_before(attempt, None, first_wait, Random(seed))


@given(st.integers(0, 40), st.floats(0, 1000), st.integers())
def test_a_wait_is_at_least_what_the_provider_asked(attempt: int, asked: float, seed: int) -> None:
    assert asked <= wait_before(attempt, asked, 1.0, Random(seed)) <= asked + 1.0


FORM = Request("p:m", None, (), schema=Verdict.model_json_schema(), schema_name="Verdict")
MODES = {
    "native": ModelProfile(supports_json_schema_output=True),
    "tool": ModelProfile(supports_tools=True),
    "prompted": ModelProfile(supports_tools=False),
}


@pytest.mark.parametrize("mode", MODES)
def test_a_schema_is_enforced_as_the_model_supports(mode: str) -> None:
    parameters = to_parameters(FORM, MODES[mode])
    assert parameters.output_mode == mode
    assert bool(parameters.output_tools) == (mode == "tool")
    assert (parameters.output_object is None) == (mode == "tool")


def test_an_answer_given_through_an_output_tool_is_text() -> None:
    response = ModelResponse([TextPart("Here:"), ToolCallPart("Verdict", {"passed": True})])
    assert from_response(response, FORM) == Reply('{"passed":true}')


def test_messages_between_replies_form_one_request() -> None:
    messages = [
        *(Message("system", "s"), Message("user", "u"), Message("assistant", "a")),
        *(Message("tool", "1", call_id="x", tool="t"), Message("tool", "2", call_id="y", tool="t")),
    ]
    kinds = [[part.part_kind for part in message.parts] for message in to_messages(messages)]
    assert kinds == [["system-prompt", "user-prompt"], ["text"], ["tool-return", "tool-return"]]
