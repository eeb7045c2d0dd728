"""The parser in BIRD-Interact's rooms: it asks about what it does not understand, then submits."""

import asyncio

from wardround.agents.parser.parser import Parser
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing

ASK = "ask"

# What has to be left for the submission after a question (BIRD-Interact, Table 9).
_SUBMISSION = 3.0

# Shorter words are seldom what is unclear.
_LETTERS = 5

# Where nothing at all was understood, there is still something to be submitted.
_NOTHING = "SELECT 1"


class AskingAgent:
    """Asks about words that it never met while it may, and submits its best query.

    A query that failed is not submitted again: what the user said meanwhile is part of the request,
    and without a new query the last word is `SELECT 1`.
    """

    def __init__(self, parser: Parser, briefing: Briefing) -> None:
        self._parser = parser
        prices = {tool.name: tool.price for tool in briefing.tools}
        self._price = prices.get(ASK)
        self._request = ""
        self._strange: list[str] | None = None
        self._submitted: set[str] = set()

    async def act(self, observation: Observation) -> Action:
        """A question, or the query."""
        self._request = f"{self._request} {observation.text}".strip()
        question = self._question() if self._may_ask(observation.budget) else ""
        if question:
            return Say(question) if self._price is None else Call(ASK, {"question": question})
        parsed = await asyncio.to_thread(self._parser.answer, self._request)
        sql = parsed.sql or parsed.guess or _NOTHING
        if sql in self._submitted:
            sql = _NOTHING
        self._submitted.add(sql)
        # What is said next is about another request, or about this one's failure.
        self._request = ""
        return Call("submit", {"sql": sql})

    def _may_ask(self, left: float | None) -> bool:
        if self._submitted:
            return False
        if self._price is None:
            return bool(left)
        return left is None or left >= self._price + _SUBMISSION

    def _question(self) -> str:
        """What to ask about the request's next word that it never met; "" for nothing."""
        if self._strange is None:
            found = self._parser.strange_words(self._request)
            self._strange = [word for word in found if len(word) >= _LETTERS]
        return f"What exactly do you mean by {self._strange.pop(0)!r}?" if self._strange else ""
