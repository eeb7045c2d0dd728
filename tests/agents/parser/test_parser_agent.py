"""The parser as an agent: it tries queries through tools and holds no database."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from wardround.agents.parser import Parser, save
from wardround.agents.parser.agents import ParserAgent, open_agents
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger
from wardround.ehr.database import Database, QueryError
from wardround.ehr.times import substitute_words

QUESTIONS = [
    "How many times was warfarin prescribed?",
    "How many times was Coumadin prescribed?",
    "How many times was warfarine prescribed?",
    "What was the last vancomycin of patient 10004?",
    "Who is the doctor of patient 10013?",
    "???",
]

# No benchmark names its tools and parameters so.
TOOLS = Briefing(
    "",
    (
        ToolSpec("try_it", "", {"properties": {"query": {}, "k": {}}}, role="run_query"),
        ToolSpec("hand_in", "", {"properties": {"query": {}}}, role="answer_with_query"),
        ToolSpec("give_up", "", {"properties": {"why": {}}}, role="abstain"),
    ),
)


def run_sql(call: Call, database: Database, words: Mapping[str, str]) -> str:
    try:
        query = substitute_words(call.arguments["query"], words)
        result = database.execute(query, rows=call.arguments["k"])
    except QueryError as error:
        return f"Error: {error}"
    return orjson.dumps({"columns": result.columns, "rows": result.rows}, default=str).decode()


async def actions_on(question: str, parser: Parser, database: Database) -> list[Call]:
    agent = ParserAgent(parser, TOOLS)
    observation = Observation(question, "user")
    calls: list[Call] = []
    while not calls or calls[-1].tool == "try_it":
        action: Action = await agent.act(observation)
        assert isinstance(action, Call)
        calls.append(action)
        if action.tool == "try_it":
            observation = Observation(run_sql(action, database, parser.words), "tool")
    return calls


@pytest.mark.parametrize("question", QUESTIONS)
async def test_agent_answers_as_the_parser_with_a_database(
    parser: Parser, ward: Database, question: str
) -> None:
    parsed = parser.answer(question, ward)
    last = (await actions_on(question, parser, ward))[-1]
    assert (last.tool == "hand_in") == (parsed.sql is not None)
    assert last.arguments.get("query") == parsed.sql


async def test_tried_queries_are_tool_calls(parser: Parser, ward: Database) -> None:
    calls = await actions_on(QUESTIONS[1], parser, ward)
    tried = [call.arguments["query"] for call in calls[:-1]]
    assert tried
    assert len(tried) == len(set(tried))


async def test_failing_tool_does_not_keep_it_trying(parser: Parser) -> None:
    agent = ParserAgent(parser, TOOLS)
    observation = Observation(QUESTIONS[0], "user")
    tools: list[str] = []
    while not tools or tools[-1] == "try_it":
        action = await agent.act(observation)
        assert isinstance(action, Call)
        tools.append(action.tool)
        observation = Observation("Error: the database is down", "tool")
    assert len(tools) <= 10


def briefing(database: str, dialect: str) -> Briefing:
    return replace(TOOLS, facts={"database": database, "dialect": dialect})


def test_each_database_has_its_trained_file(parser: Parser, tmp_path: Path) -> None:
    save(parser, tmp_path / "ward.model")
    make = open_agents(None, trained={"ward": tmp_path / "ward.model"})
    context = AgentContext(0, Ledger())
    assert isinstance(make(briefing("ward", "sqlite"), context), ParserAgent)
    with pytest.raises(UserError, match="not trained on the database clinic"):
        make(briefing("clinic", "sqlite"), context)
    with pytest.raises(UserError, match="on duckdb, and the parser was taught the SQL of sqlite"):
        make(briefing("ward", "duckdb"), context)


def test_file_is_private(parser: Parser, tmp_path: Path) -> None:
    save(parser, tmp_path / "ward.model")
    assert (tmp_path / "ward.model").stat().st_mode & 0o077 == 0
