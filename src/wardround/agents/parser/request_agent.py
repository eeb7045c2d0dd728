"""Submits the parse of each request and asks nothing; for environments that take SQL requests."""

import asyncio
import re
from collections.abc import Mapping

from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.query_search import Search, advance, tool_rows
from wardround.core.actions import Action, Observation
from wardround.core.task import Briefing
from wardround.ehr.times import substitute_words

_REMAINING = re.compile(r"\s*\[[\w ]+ left: [\d.]+\]\s*$")
_FOLLOW_UP = "One more thing: "

# Submitted where the parser finds no query; an empty submission would be refused.
_NO_QUERY = "SELECT 1"


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
