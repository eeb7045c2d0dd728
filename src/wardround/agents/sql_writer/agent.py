"""An agent that samples several queries, tries each, and answers if enough of them agree."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

import orjson
from pydantic import BaseModel, Field

from wardround.core.actions import Action, Observation
from wardround.core.errors import MalformedAnswerError
from wardround.core.task import Briefing
from wardround.models.messages import Message
from wardround.models.model import Model

DECIMALS = 3
NO_ANSWER = "no answer"

NULL = "null"


class Written(BaseModel):  # models are sent its docstring and descriptions with its schema
    """What the model answers."""

    sql: str = Field(
        min_length=1, description="one SELECT statement; null when the records have no answer"
    )


class SqlWriter:
    """Samples SQL for the question and submits the query whose result enough samples have.

    Each query is tried as an action, at its price, unless that would leave too little to submit.

    Args:
        messages: makes the prompt for a question.
        models: the model once per sample, each with its own seed.
        threshold: the least share of samples that must agree.
        briefing: its tools run, submit and abstain.
    """

    def __init__(
        self,
        messages: Callable[[str], list[Message]],
        models: Sequence[Model],
        threshold: float,
        briefing: Briefing,
    ) -> None:
        self._messages = messages
        self._models = models
        self._threshold = threshold
        self._run = briefing.tool("run_query")
        self._submit = briefing.tool("answer_with_query")
        self._abstain = briefing.tool("abstain")
        self._steps: Generator[Action, Observation, None] | None = None

    async def act(self, observation: Observation) -> Action:
        """Returns the next query to try, then the answer."""
        if self._steps is None:
            messages = self._messages(observation.text)
            samples = await asyncio.gather(*(_sample(model, messages) for model in self._models))
            self._steps = self._answer(samples, observation)
            return next(self._steps)
        return self._steps.send(observation)

    def _answer(
        self, samples: Sequence[str | None], observation: Observation
    ) -> Generator[Action, Observation, None]:
        results: dict[str | None, str | None] = {None: None, NULL: NO_ANSWER}
        needed = self._run.price + self._submit.price
        for sql in samples:
            if sql not in results:
                results[sql] = None
                if observation.budget is None or observation.budget >= needed:
                    observation = yield self._run.call(sql)
                    results[sql] = result_of(observation.text)
        decision = decide([Vote(sql, results[sql]) for sql in samples], self._threshold)
        if decision.sql is None:
            yield self._abstain.call(decision.reason, confidence=decision.confidence)
        else:
            yield self._submit.call(decision.sql, confidence=decision.confidence)


async def _sample(model: Model, messages: Sequence[Message]) -> str | None:
    """A query, "null" for no answer, or None for an unreadable reply."""
    try:
        sql = (await model.structured(messages, Written)).sql.strip().rstrip(";").rstrip()
    except MalformedAnswerError:
        return None
    return NULL if sql.lower() == NULL else sql


@dataclass(frozen=True, slots=True)
class Vote:
    """One sample.

    Attributes:
        sql: its query; None if the sample could not be read.
        result: the query's result in a canonical form; `NO_ANSWER` if the sample says that there
            is none, None if the query failed, was not tried, or the sample could not be read.
    """

    sql: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a vote.

    Attributes:
        sql: the query to submit, None to abstain.
        confidence: the confidence in that, from 0 to 1.
        reason: why there is no query.
    """

    sql: str | None
    confidence: float
    reason: str = ""


def decide(votes: Sequence[Vote], threshold: float) -> Decision:
    """Chooses the first query with the result that most samples have, or none.

    Samples without a result count towards the total. Of two results with equal votes the one
    sampled first wins.

    Args:
        votes: at least one.
        threshold: the least share of votes for an answer.

    >>> decide([Vote("a", "[1]"), Vote("b", "[1]"), Vote("c", None)], 0.5)
    Decision(sql='a', confidence=0.6666666666666666, reason='')
    >>> decide([Vote("a", "[1]"), Vote(None, "no answer"), Vote("c", None)], 0.5).sql is None
    True
    """
    counts = Counter(vote.result for vote in votes if vote.result is not None)
    if not counts:
        return Decision(None, 1.0, "no sample gives a query that runs")
    [(result, number)] = counts.most_common(1)
    share = number / len(votes)
    if result == NO_ANSWER:
        return Decision(None, share, f"{number} of {len(votes)} samples see no answer")
    if share < threshold:
        return Decision(None, 1 - share, f"only {number} of {len(votes)} samples agree")
    return Decision(next(vote.sql for vote in votes if vote.result == result), share)


def result_of(text: str) -> str | None:
    """The result of a query in canonical form; None for an error.

    Column names and the order of rows do not count; numbers are rounded to three decimals.

    >>> result_of('{"columns": ["n"], "rows": [[2.0001], [1]], "truncated": false}')
    '[["1.0"],["2.0"]]'
    >>> result_of("Error: no such table")
    """
    if not text.startswith("{"):
        return None
    value, _ = JSONDecoder().raw_decode(text)  # the rest of the budget may follow
    rows = [[_cell(cell) for cell in row] for row in value["rows"]]
    return orjson.dumps(sorted(rows)).decode()


def _cell(value: Any) -> str:
    try:
        return str(round(float(value), DECIMALS))
    except (TypeError, ValueError):
        return str(value)
