"""The agent: asks for several answers at once, tries each query, and answers if they agree."""

import asyncio
from collections.abc import Callable, Generator, Sequence

from pydantic import BaseModel, Field

from wardround.agents.sql_writer.votes import NO_ANSWER, Vote, decide, result_of
from wardround.core.actions import Action, Call, Observation
from wardround.core.errors import MalformedAnswerError
from wardround.core.tools import ToolSpec
from wardround.models.messages import Message
from wardround.models.model import Model

NULL = "null"
RUN, SUBMIT, ABSTAIN = "run_sql", "submit_sql", "abstain"


class Written(BaseModel):
    """What the model answers."""

    sql: str = Field(
        min_length=1, description="one SELECT statement; null when the records have no answer"
    )


class SqlWriter:
    """Draws samples of SQL for the question and submits what enough of them agree on.

    Every query is tried with the environment's own tool, as an action, at its price; none is
    tried that would leave too little to submit.

    Args:
        messages: gives the prompt for a question.
        models: the model once for each sample, each with its own seed.
        threshold: the least share of samples that must agree.
        tools: the tools of the task, for their prices.
    """

    def __init__(
        self,
        messages: Callable[[str], list[Message]],
        models: Sequence[Model],
        threshold: float,
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        self._messages = messages
        self._models = models
        self._threshold = threshold
        self._needed = sum(tool.price for tool in tools if tool.name in (RUN, SUBMIT))
        self._steps: Generator[Action, Observation, None] | None = None

    async def act(self, observation: Observation) -> Action:
        """The next query to try, then the answer."""
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
        for sql in samples:
            if sql not in results:
                results[sql] = None
                if observation.budget is None or observation.budget >= self._needed:
                    observation = yield Call(RUN, {"query": sql})
                    results[sql] = result_of(observation.text)
        decision = decide([Vote(sql, results[sql]) for sql in samples], self._threshold)
        sure = {"confidence": decision.confidence}
        if decision.sql is None:
            yield Call(ABSTAIN, {"reason": decision.reason, **sure})
        else:
            yield Call(SUBMIT, {"query": decision.sql, **sure})


async def _sample(model: Model, messages: Sequence[Message]) -> str | None:
    """One query, "null" for no answer, or None for an answer that could not be read."""
    try:
        sql = (await model.structured(messages, Written)).sql.strip().rstrip(";").rstrip()
    except MalformedAnswerError:
        return None
    return NULL if sql.lower() == NULL else sql
