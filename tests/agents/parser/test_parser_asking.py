"""The parser in BIRD-Interact's rooms: what it asks, for how long, and what it submits."""

import pytest

from wardround.agents.parser import Parser
from wardround.agents.parser.request_agent import AskingAgent
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

COUNT = "How many times was aspirin prescribed?"
UNCLEAR = "How many times was aspirin prescribed, roughly speaking?"
FACTS = {"current_time": "2100-12-31 23:59:00"}

CONVERSATION = Briefing("", (ToolSpec("submit", "", {}, 3.0),), FACTS)
PRICED = Briefing("", (ToolSpec("ask", "", {}, 2.0), ToolSpec("submit", "", {}, 3.0)), FACTS)


def heard(text: str, budget: float | None) -> Observation:
    return Observation(text, "user", budget=budget)


def submitted(action: Action) -> str:
    assert isinstance(action, Call)
    assert action.tool == "submit"
    sql = action.arguments["sql"]
    assert isinstance(sql, str)
    return sql


async def test_what_it_understands_is_submitted(parser: Parser) -> None:
    action = await AskingAgent(parser, CONVERSATION).act(heard(COUNT, 0))
    assert "'aspirin'" in submitted(action)


async def test_strange_words_are_asked_about_first(parser: Parser) -> None:
    agent = AskingAgent(parser, CONVERSATION)
    asked = await agent.act(heard(UNCLEAR, 1))
    assert asked == Say("What exactly do you mean by “roughly speaking”?")
    assert "'aspirin'" in submitted(await agent.act(heard("About.", 0)))


async def test_what_is_left_is_no_part_of_what_was_said(parser: Parser) -> None:
    agent = AskingAgent(parser, PRICED)
    asked = [await agent.act(heard(f"{COUNT}\n[Budget left: 9]", 9.0)) for _ in range(4)]
    assert not [one for one in asked if "udget" in str(one)]


async def test_what_follows_a_success_is_a_change_of_the_query(parser: Parser) -> None:
    agent = AskingAgent(parser, CONVERSATION)
    first = submitted(await agent.act(heard(f"{COUNT} Keep the result as a table n_kept.", 0)))
    assert first.startswith("CREATE TABLE n_kept AS ")
    follows = "That is right, thank you. One more thing: How many rows does n_kept have?"
    assert submitted(await agent.act(heard(follows, 0))) == "SELECT COUNT(*) FROM n_kept"


@pytest.mark.parametrize(("budget", "asks"), [(5.0, True), (4.5, False), (None, True)])
async def test_a_question_leaves_enough_for_the_submission(
    parser: Parser, budget: float | None, asks: bool
) -> None:
    action = await AskingAgent(parser, PRICED).act(heard(UNCLEAR, budget))
    assert isinstance(action, Call)
    assert action.tool == ("ask" if asks else "submit")


async def test_a_query_that_failed_is_not_submitted_again(parser: Parser) -> None:
    agent = AskingAgent(parser, CONVERSATION)
    first = submitted(await agent.act(heard(COUNT, 0)))
    second = submitted(await agent.act(heard("The result is not what was wanted.", 0)))
    assert first != second
