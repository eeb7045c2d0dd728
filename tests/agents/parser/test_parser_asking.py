"""The parser in BIRD-Interact's rooms: what it asks, for how long, and what it submits."""

import pytest

from wardround.agents.parser import Parser
from wardround.agents.parser.asking import AskingAgent
from wardround.core.actions import Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

COUNT = "How many times was aspirin prescribed?"
UNCLEAR = "How many times was aspirin prescribed, roughly speaking?"

CONVERSATION = Briefing("", (ToolSpec("submit", "", {}, 3.0),))
PRICED = Briefing("", (ToolSpec("ask", "", {}, 2.0), ToolSpec("submit", "", {}, 3.0)))


def heard(text: str, budget: float | None) -> Observation:
    return Observation(text, "user", budget=budget)


async def test_what_it_understands_is_submitted_at_once(parser: Parser) -> None:
    action = await AskingAgent(parser, CONVERSATION).act(heard(COUNT, 3))
    assert isinstance(action, Call)
    assert action.tool == "submit"
    assert "'aspirin'" in action.arguments["sql"]


async def test_strange_words_are_asked_about_while_questions_are_left(parser: Parser) -> None:
    agent = AskingAgent(parser, CONVERSATION)
    assert await agent.act(heard(UNCLEAR, 1)) == Say("What exactly do you mean by 'roughly'?")
    action = await agent.act(heard("About.", 0))
    assert isinstance(action, Call)
    assert action.tool == "submit"


@pytest.mark.parametrize(("budget", "asks"), [(5.0, True), (4.5, False), (None, True)])
async def test_a_question_leaves_enough_for_the_submission(
    parser: Parser, budget: float | None, asks: bool
) -> None:
    action = await AskingAgent(parser, PRICED).act(heard(UNCLEAR, budget))
    assert isinstance(action, Call)
    assert action.tool == ("ask" if asks else "submit")


async def test_a_query_that_failed_is_not_submitted_again(parser: Parser) -> None:
    agent = AskingAgent(parser, CONVERSATION)
    first = await agent.act(heard(COUNT, 0))
    second = await agent.act(heard(COUNT, 0))
    assert isinstance(first, Call)
    assert isinstance(second, Call)
    assert first.arguments != second.arguments
