"""The parser in BIRD-Interact's rooms: it interviews the user, and submits what it understood."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from wardround.agents.parser.interview.chart import Shape
from wardround.agents.parser.interview.composing import composed
from wardround.agents.parser.interview.following import followed, without_keeping
from wardround.agents.parser.interview.hearing import understood
from wardround.agents.parser.interview.questions import Question, questions
from wardround.agents.parser.interview.rereading import readings
from wardround.agents.parser.interview.rewording import reworded
from wardround.agents.parser.interview.said import Said, says
from wardround.agents.parser.parser import Parsed, Parser
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.ehr.times import with_current_time

ASK, EXECUTE, SUBMIT = "ask", "execute", "submit"

# What tells of columns and terms, where the instructions do not.
_READING = ("get_all_column_meanings", "get_all_knowledge_definitions")

# What a room says of what is left is nobody's answer.
_LEFT = re.compile(r"\s*\[[\w ]+ left: [\d.]+\]\s*$")

# What is likelier right than wrong goes before what an interview made.
_LIKELY = 0.5

# Where nothing at all was understood, there is still something to be submitted.
_NOTHING = "SELECT 1"


def finds_something(result: str) -> bool:
    """Whether what `execute` gave has a row.

    >>> finds_something('{"columns": ["count"], "rows": [[3]], "truncated": false}')
    True
    >>> finds_something("Error: no such table"), finds_something('{"columns": [], "rows": []}')
    (False, False)
    """
    return '"rows"' in result and '"rows":[]' not in result.replace(" ", "")


class AskingAgent:
    """Asks point by point while it may, and submits its best query, never the same one twice.

    A request of the kinds that the parser learnt is reworded with the answers and parsed; of any
    other the interview makes a query.
    """

    def __init__(self, parser: Parser, shape: Shape, briefing: Briefing) -> None:
        self._parser = parser
        self._shape = shape
        self._now = briefing.facts["current_time"]
        self._prices = {tool.name: tool.price for tool in briefing.tools}
        self._reading = [name for name in _READING if name in self._prices]
        self._texts = [briefing.rules]
        self._chart = shape.with_texts(*self._texts)
        self._said: list[Said] = []
        self._asked: list[Question] = []
        self._submitted: list[str] = []
        self._made: dict[tuple[Said, ...], Parsed] = {}
        self._tried: dict[str, bool] = {}
        self._keep_as = ""
        self._done = ""
        self._last: Action | None = None

    async def act(self, observation: Observation) -> Action:
        """A look at what is known, a question, or the query."""
        self._hear(observation)
        self._last = await asyncio.to_thread(self._next, observation.budget)
        return self._last

    def _hear(self, observation: Observation) -> None:
        """Takes in what came of the last action."""
        text = _LEFT.sub("", observation.text)
        match self._last:
            case None:
                self._keep_as, request = without_keeping(text)
                self._said.append(Said("request", request))
            case Call(tool) if tool in _READING:
                self._texts.append(text)
                self._chart = self._shape.with_texts(*self._texts)
            case Call("execute", {"sql": sql}):
                self._tried[sql] = finds_something(text)
            case Call("submit"):
                self._judged(text)
            case _:
                asked = self._asked[-1]
                self._said.append(Said(asked.topic, text, asked.about))

    def _judged(self, text: str) -> None:
        """After a success what is said next is a change of it; a failure needs another reading."""
        if says("success", text):
            self._done = self._submitted[-1]
            self._said.append(Said("change", text.partition(":")[2].strip() or text))

    def _next(self, left: float | None) -> Action:
        if self._reading and self._affords(self._reading[0], left):
            return Call(self._reading.pop(0), {})
        question = self._question() if self._may_ask(left) else None
        if question is not None:
            self._asked.append(question)
            asks = ASK in self._prices
            return Call(ASK, {"question": question.text}) if asks else Say(question.text)
        sql = self._best_query()
        if EXECUTE in self._prices and sql not in self._tried and self._affords(EXECUTE, left):
            return Call(EXECUTE, {"sql": sql})
        self._submitted.append(sql)
        return Call(SUBMIT, {"sql": sql})

    def _best_query(self) -> str:
        """The likeliest query that was not submitted; what found nothing goes behind others."""
        left = [one for one in self._queries() if one not in self._submitted]
        return max(left, key=lambda one: self._tried.get(one, True), default=_NOTHING)

    def _may_ask(self, left: float | None) -> bool:
        if self._submitted:
            return False
        return self._affords(ASK, left) if ASK in self._prices else bool(left)

    def _affords(self, tool: str, left: float | None) -> bool:
        """Whether enough is left for the submission afterwards."""
        return left is None or left >= self._prices[tool] + self._prices[SUBMIT]

    def _question(self) -> Question | None:
        asked = {one.text for one in self._asked}
        strange = self._parser.strange_words(self._said[0].text)
        return next(questions(self._said, asked, self._chart, strange), None)

    def _queries(self) -> Iterator[str]:
        """What may be meant, the likeliest first."""
        name = "" if self._done else self._keep_as
        for sql in self._changes() if self._done else self._readings(self._said):
            dated = with_current_time(sql, datetime.fromisoformat(self._now))
            yield f"CREATE TABLE {name} AS {dated}" if name else dated

    def _changes(self) -> Iterator[str]:
        yield from followed(self._said[-1].text, self._done, self._chart)
        yield from self._readings(self._said)

    def _parsed(self, said: Sequence[Said]) -> Parsed:
        """What the parser makes of the request with the answers in it; made once of the same."""
        key = tuple(said)
        if key not in self._made:
            self._made[key] = reworded(said, self._parser)
        return self._made[key]

    def _readings(self, said: Sequence[Said]) -> Iterator[str]:
        parsed = self._parsed(said)
        if parsed.guess and parsed.confidence >= _LIKELY:
            yield parsed.guess
        wish = understood(said, self._chart, self._now)
        if wish is not None:
            yield from (composed(one, self._chart) for one in readings(wish, self._chart))
        if parsed.guess:
            yield parsed.guess
