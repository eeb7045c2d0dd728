"""The parser's agents: by its tools, each kind of environment gets its own."""

import asyncio
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock

from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.parser_file import load
from wardround.agents.parser.query_search import ROWS, Search, advance, tool_rows
from wardround.agents.parser.talk import conversation_agent
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.ehr.times import substitute_words
from wardround.models.client import LanguageModel

_REMAINING = re.compile(r"\s*\[[\w ]+ left: [\d.]+\]\s*$")
_FOLLOW_UP = "One more thing: "

# Submitted where the parser finds no query; an empty submission would be refused.
_NO_QUERY = "SELECT 1"

NO_FILES: Mapping[str, Path] = {}


def open_agents(
    model: LanguageModel | None,
    *,
    agent_model: Path | None = None,
    trained: Mapping[str, Path] = NO_FILES,
) -> AgentMaker:
    """Makers of agents for tasks that end with a query, that take queries, or of conversation.

    Args:
        model: Not used; a language model is for the people only.
        agent_model: The file of a parser for all databases.
        trained: The files of parsers trained before the run, by the database's name.

    Raises:
        UserError: The file holds no parser.
    """
    parsers = ParserFiles(agent_model, trained)
    if agent_model:
        parsers.load(agent_model)

    def make(briefing: Briefing, context: AgentContext) -> Agent:
        if briefing.has_tool("answer_with_query"):
            return ParserAgent(parsers.find(briefing), briefing)
        if briefing.has_tool("submit_query"):
            return RequestAgent(parsers.find(briefing), briefing)
        return conversation_agent(briefing)

    return make


class ParserFiles:
    """The parsers of a run, each loaded once for all trials."""

    def __init__(self, agent_model: Path | None, trained: Mapping[str, Path]) -> None:
        self._agent_model = agent_model
        self._trained = trained
        self._lock = Lock()
        self._load = cache(load)

    def load(self, path: Path) -> Parser:
        """The parser of a file."""
        with self._lock:
            return self._load(path)

    def find(self, briefing: Briefing) -> Parser:
        """The parser for a task.

        Raises:
            UserError: No file was trained for the task's database, or for another SQL dialect.
        """
        name, dialect = briefing.facts["database"], briefing.facts["dialect"]
        path = self._agent_model or self._trained.get(name)
        if path is None:
            raise UserError(
                f"The parser was not trained on the database {name}; train one, and name its file "
                "with --agent-model."
            )
        parser = self.load(path)
        if others := parser.dialects - {dialect}:
            raise UserError(
                f"Database {name} is on {dialect}, and the parser was taught the SQL of "
                f"{', '.join(others)}; train one on this database."
            )
        return parser


class ParserAgent:
    """Submits the parser's answer, after trying candidate queries."""

    def __init__(self, parser: Parser, briefing: Briefing) -> None:
        self._parser = parser
        self._briefing = briefing
        self._search: Search[Parsed] | None = None

    async def act(self, observation: Observation) -> Action:
        """Try the next query, or give the answer.

        The reason of a refusal holds the doubts and what was understood.
        """
        if self._search is None:
            self._search = self._parser.parse(observation.text)
            step = await asyncio.to_thread(advance, self._search)
        else:
            rows = tool_rows(observation.text)
            step = await asyncio.to_thread(advance, self._search, rows)
        if isinstance(step, str):
            return self._briefing.tool("run_query").call(step, ROWS)
        return self._answer(step)

    def _answer(self, parsed: Parsed) -> Call:
        if parsed.sql is None:
            reason = " ".join([*(doubt.asks for doubt in parsed.doubts), parsed.explanation])
            abstain = self._briefing.tool("abstain")
            return abstain.call(reason, confidence=1 - parsed.confidence)
        submit = self._briefing.tool("answer_with_query")
        return submit.call(parsed.sql, confidence=parsed.confidence)


class RequestAgent:
    """A baseline that parses a request as any other question.

    Candidate queries are tried where a tool runs them and the budget leaves enough for a
    submission; elsewhere they are ranked untried. The follow-up is parsed on its own,
    without the request before it. A query that is not accepted is submitted again, because the
    parser has no other reading.
    """

    def __init__(self, parser: Parser, briefing: Briefing) -> None:
        self._parser = parser
        self._words: Mapping[str, str] = {
            **parser.words,
            "current_time": f"'{briefing.facts['current_time']}'",
        }
        self._submit = briefing.tool("submit_query")
        self._run = briefing.tool("run_query") if briefing.has_tool("run_query") else None
        self._search: Search[Parsed] | None = None
        self._query = ""

    async def act(self, observation: Observation) -> Action:
        """Try the next query, or submit the query for the request that was made last."""
        text = _REMAINING.sub("", observation.text)
        if self._search:
            step = await asyncio.to_thread(advance, self._search, tool_rows(text))
            return await self._next(step, observation.budget)
        _, follow_up, request = text.rpartition(_FOLLOW_UP)
        if self._query and not follow_up:
            return self._submit.call(self._query)
        self._search = self._parser.parse(request)
        step = await asyncio.to_thread(advance, self._search)
        return await self._next(step, observation.budget)

    async def _next(self, step: str | Parsed, budget: float | None) -> Action:
        while isinstance(step, str) and self._search:
            if self._run and (budget is None or budget >= self._run.price + self._submit.price):
                return self._run.call(substitute_words(step, self._words))
            step = await asyncio.to_thread(advance, self._search)
        self._search = None
        guess = step.guess if isinstance(step, Parsed) else None
        self._query = substitute_words(guess, self._words) if guess else _NO_QUERY
        return self._submit.call(self._query)
