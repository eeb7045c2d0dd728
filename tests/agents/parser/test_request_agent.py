"""The parser on requests for SQL: it submits and asks nothing."""

import pytest

from wardround.agents.parser import Parser
from wardround.agents.parser.request_agent import RequestAgent
from wardround.core.actions import Action, Call, Observation
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

COUNT = "How many times was aspirin prescribed?"
FACTS = {"current_time": "2100-12-31 23:59:00"}
SQL = {"properties": {"sql": {"type": "string"}}}
SUBMIT = ToolSpec("hand_in", "", SQL, 3.0, "submit_query")
CONVERSATION = Briefing("", (SUBMIT,), FACTS)
PRICED = Briefing("", (ToolSpec("try_it", "", SQL, 1.0, "run_query"), SUBMIT), FACTS)


def said(text: str) -> Observation:
    return Observation(text, "user", budget=9.0)


def submitted(action: Action) -> str:
    assert isinstance(action, Call)
    assert action.tool == "hand_in"
    sql = action.arguments["sql"]
    assert isinstance(sql, str)
    return sql


async def test_parse_of_the_request_is_submitted(parser: Parser) -> None:
    action = await RequestAgent(parser, CONVERSATION).act(said(COUNT))
    assert "'aspirin'" in submitted(action)


async def test_remaining_budget_is_not_parsed(parser: Parser) -> None:
    plain = await RequestAgent(parser, CONVERSATION).act(said(COUNT))
    told = await RequestAgent(parser, CONVERSATION).act(said(f"{COUNT}\n[Budget left: 9]"))
    assert submitted(told) == submitted(plain)


async def test_follow_up_is_parsed_on_its_own(parser: Parser) -> None:
    agent = RequestAgent(parser, CONVERSATION)
    await agent.act(said(COUNT))
    follow_up = "That is right, thank you. One more thing: Count the prescriptions of insulin."
    second = submitted(await agent.act(said(follow_up)))
    assert "'insulin'" in second
    assert "'aspirin'" not in second


async def test_query_is_submitted_again_after_feedback(parser: Parser) -> None:
    agent = RequestAgent(parser, CONVERSATION)
    first = submitted(await agent.act(said(COUNT)))
    feedback = "The result is not what was wanted. You may submit once more."
    assert submitted(await agent.act(said(feedback))) == first


async def test_something_is_submitted_without_a_parse(parser: Parser) -> None:
    assert submitted(await RequestAgent(parser, CONVERSATION).act(said("???")))


@pytest.mark.parametrize(("budget", "tries"), [(4.0, True), (3.5, False), (None, True)])
async def test_trying_leaves_enough_for_a_submission(
    parser: Parser, budget: float | None, tries: bool
) -> None:
    action = await RequestAgent(parser, PRICED).act(Observation(COUNT, "user", budget=budget))
    assert isinstance(action, Call)
    assert action.tool == ("try_it" if tries else "hand_in")


async def test_tried_queries_are_runnable(parser: Parser) -> None:
    question = "How many times was aspirin prescribed last month?"
    action = await RequestAgent(parser, PRICED).act(said(question))
    assert isinstance(action, Call)
    assert "current_time" not in action.arguments["sql"]
    assert "'2100-12-31 23:59:00'" in action.arguments["sql"]


async def test_result_of_a_try_is_read_before_the_budget(parser: Parser) -> None:
    agent = RequestAgent(parser, PRICED)
    action = await agent.act(said(COUNT))
    result = '{"columns": ["n"], "rows": [[20]], "truncated": false}\n[Budget left: 3.5]'
    for _ in range(10):
        assert isinstance(action, Call)
        if action.tool == "hand_in":
            break
        action = await agent.act(Observation(result, "tool", budget=3.5))
    assert "'aspirin'" in submitted(action)
