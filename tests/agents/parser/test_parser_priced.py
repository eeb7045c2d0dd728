"""The parser in the room of priced actions: it reads first, and tries what it would submit."""

from wardround.agents.parser import Parser
from wardround.agents.parser.asking import AskingAgent
from wardround.agents.parser.interview.chart import shape_of
from wardround.core.actions import Call, Observation
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

_PRICES = {
    "execute": 1.0,
    "get_all_column_meanings": 1.0,
    "get_all_knowledge_definitions": 1.0,
    "ask": 2.0,
    "submit": 3.0,
}
ROOM = Briefing(
    "",
    tuple(ToolSpec(name, "", {}, price) for name, price in _PRICES.items()),
    {"current_time": "2105-12-31 23:59:00"},
)


async def test_it_reads_asks_tries_and_submits_within_its_budget(parser: Parser) -> None:
    agent = AskingAgent(parser, shape_of(parser.database), ROOM)
    text, left, taken = "How many times was aspirin prescribed, roughly speaking?", 10.0, []
    while left >= 0 and "submit" not in taken:
        action = await agent.act(
            Observation(f"{text}\n[Budget left: {left:g}]", "user", budget=left)
        )
        assert isinstance(action, Call)
        taken.append(action.tool)
        left -= _PRICES[action.tool]
        text = {"ask": "About.", "execute": '{"columns":["n"],"rows":[[3]]}'}.get(action.tool, "{}")
    reading = ["get_all_column_meanings", "get_all_knowledge_definitions"]
    assert taken[:3] == [*reading, "ask"]
    assert taken[-2:] == ["execute", "submit"]
    assert left >= 0


async def test_what_found_nothing_is_submitted_after_other_queries(parser: Parser) -> None:
    agent = AskingAgent(parser, shape_of(parser.database), ROOM)
    tried: list[str] = []
    text, left = "How many times was aspirin prescribed?", 4.5
    while True:
        action = await agent.act(Observation(text, "tool", budget=left))
        assert isinstance(action, Call)
        if action.tool == "submit":
            break
        tried += [action.arguments["sql"]] if action.tool == "execute" else []
        text = '{"columns":["n"],"rows":[]}'
    assert len(set(tried)) == len(tried) > 1
    assert action.arguments["sql"] == tried[0]
