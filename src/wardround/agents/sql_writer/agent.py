"""An agent that samples several queries, tries each, and answers if enough of them agree."""

import asyncio
from collections.abc import Callable, Generator, Sequence

from pydantic import BaseModel, Field

from wardround.agents.sql_writer.votes import NO_ANSWER, Vote, decide, result_of
from wardround.core.actions import Action, Observation
from wardround.core.errors import MalformedAnswerError
from wardround.core.task import Briefing
from wardround.models.messages import Message
from wardround.models.model import Model

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
