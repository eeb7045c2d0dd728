"""Submits the parse of each request and asks nothing; for environments that take SQL requests."""

import asyncio
import re
from datetime import datetime

from wardround.agents.parser.parser import Parser
from wardround.core.actions import Action, Call, Observation
from wardround.core.task import Briefing
from wardround.ehr.times import with_current_time

SUBMIT = "submit"

_REMAINING = re.compile(r"\s*\[[\w ]+ left: [\d.]+\]\s*$")
_FOLLOW_UP = "One more thing: "

# Submitted where the parser finds no query; an empty submission would be refused.
_NO_QUERY = "SELECT 1"


class RequestAgent:
    """A baseline that parses a request as any other question.

    The follow-up is parsed on its own, without the request before it. A query that is not accepted
    is submitted again, because the parser has no other reading.
    """

    def __init__(self, parser: Parser, briefing: Briefing) -> None:
        self._parser = parser
        self._now = datetime.fromisoformat(briefing.facts["current_time"])
        self._query = ""

    async def act(self, observation: Observation) -> Action:
        """Submits the query for the request that was made last."""
        text = _REMAINING.sub("", observation.text)
        _, follow_up, request = text.rpartition(_FOLLOW_UP)
        if follow_up or not self._query:
            self._query = await asyncio.to_thread(self._parsed, request)
        return Call(SUBMIT, {"sql": self._query})

    def _parsed(self, request: str) -> str:
        guess = self._parser.answer(request).guess
        return with_current_time(guess, self._now) if guess else _NO_QUERY
