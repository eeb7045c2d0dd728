"""The parser in BIRD-Interact's rooms: it asks what words mean, and submits what it understood."""

import asyncio
import re
from collections.abc import Iterator
from datetime import datetime

from wardround.agents.parser.interview.following import followed, without_keeping
from wardround.agents.parser.interview.phrases import says
from wardround.agents.parser.interview.questions import unclear
from wardround.agents.parser.interview.rewording import Answer, reworded
from wardround.agents.parser.parser import Parser
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.ehr.times import with_current_time

ASK, SUBMIT = "ask", "submit"

# What a room says of what is left is nobody's answer.
_LEFT = re.compile(r"\s*\[[\w ]+ left: [\d.]+\]\s*$")

# Where nothing at all was understood, there is still something to be submitted.
_NOTHING = "SELECT 1"


class AskingAgent:
    """Asks about the words of the request while it may, and submits its best query.

    The answers are put into the request, which is then parsed as any question is. What follows is
    taken for a change of the query that was right. Nothing is submitted twice, and where nothing
    else is left, `SELECT 1` is.
    """

    def __init__(self, parser: Parser, briefing: Briefing) -> None:
        self._parser = parser
        self._now = datetime.fromisoformat(briefing.facts["current_time"])
        self._prices = {tool.name: tool.price for tool in briefing.tools}
        self._request = ""
        self._keep_as = ""
        self._unclear: list[str] = []
        self._about = ""
        self._answers: list[Answer] = []
        self._submitted: list[str] = []
        self._right = ""
        self._follow_up = ""

    async def act(self, observation: Observation) -> Action:
        """A question, or the query."""
        text = _LEFT.sub("", observation.text)
        if not self._request:
            self._keep_as, self._request = without_keeping(text)
            strange = self._parser.strange_words(self._request)
            self._unclear = unclear(self._request, [word.lower() for word in strange])
        elif self._submitted:
            self._judged(text)
        else:
            self._answers.append(Answer(self._about, text))
        if self._unclear and self._may_ask(observation.budget):
            return self._asks()
        sql = await asyncio.to_thread(self._query)
        self._submitted.append(sql)
        return Call(SUBMIT, {"sql": sql})

    def _judged(self, text: str) -> None:
        """After a success what is said next is a change of it."""
        if says("success", text):
            self._right = self._submitted[-1]
            self._follow_up = text.partition(":")[2].strip() or text

    def _may_ask(self, left: float | None) -> bool:
        """Whether enough is left for the submission afterwards (Table 9)."""
        if self._submitted:
            return False
        if ASK not in self._prices:
            return bool(left)
        return left is None or left >= self._prices[ASK] + self._prices[SUBMIT]

    def _asks(self) -> Action:
        self._about = self._unclear.pop(0)
        question = f"What exactly do you mean by “{self._about}”?"
        return Call(ASK, {"question": question}) if ASK in self._prices else Say(question)

    def _query(self) -> str:
        """The likeliest query that was not submitted."""
        made = self._changes() if self._right else self._readings()
        return next((sql for sql in made if sql not in self._submitted), _NOTHING)

    def _readings(self) -> Iterator[str]:
        for answers in (self._answers, []):
            guess = reworded(self._request, answers, self._parser).guess
            if guess:
                sql = with_current_time(guess, self._now)
                yield f"CREATE TABLE {self._keep_as} AS {sql}" if self._keep_as else sql

    def _changes(self) -> Iterator[str]:
        yield from followed(self._follow_up, self._right)
        guess = self._parser.answer(self._follow_up).guess
        if guess:
            yield with_current_time(guess, self._now)
