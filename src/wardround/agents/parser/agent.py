"""Answers a question by one query, or abstains."""

import asyncio

from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.query_search import ROWS, Search, advance, tool_rows
from wardround.core.actions import Action, Call, Observation


class ParserAgent:
    """Submits the parser's answer, after trying candidate queries with `run_sql`.

    Args:
        parser: The parser.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
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
            return Call("run_sql", {"query": step, "k": ROWS})
        return _answer(step)


def _answer(parsed: Parsed) -> Call:
    if parsed.sql is None:
        reason = " ".join([*(doubt.asks for doubt in parsed.doubts), parsed.explanation])
        return Call("abstain", {"reason": reason, "confidence": 1 - parsed.confidence})
    return Call("submit_sql", {"query": parsed.sql, "confidence": parsed.confidence})
