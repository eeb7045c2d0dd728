"""The agent: asks for several answers at once, tries each query, and answers if they agree."""

import asyncio
from collections.abc import Callable, Generator, Sequence

from pydantic import BaseModel, Field

from wardround.agents.sql_writer.votes import NO_ANSWER, Vote, decide, result_of
from wardround.core.actions import Action, Call, Observation
from wardround.core.errors import MalformedAnswerError
from wardround.models.messages import Message
from wardround.models.model import Model

NULL = "null"


class Written(BaseModel):
    """What the model answers."""

    sql: str = Field(
        min_length=1, description="one SELECT statement; null when the records have no answer"
    )


class SqlWriter:
    """Draws samples of SQL for the question and submits what enough of them agree on.

    Args:
        messages: gives the prompt for a question.
        models: the model once for each sample, each with its own seed.
        threshold: the least share of samples that must agree.
    """

    def __init__(
        self,
        messages: Callable[[str], list[Message]],
        models: Sequence[Model],
        threshold: float,
    ) -> None:
        self._messages = messages
        self._models = models
        self._threshold = threshold
        self._trying: Generator[Action, Observation, None] | None = None

    async def act(self, observation: Observation) -> Action:
        """The next query to try, then the answer."""
        if self._trying is None:
            messages = self._messages(observation.text)
            drawn = await asyncio.gather(*(_sample(model, messages) for model in self._models))
            self._trying = self._answer(drawn)
            return next(self._trying)
        return self._trying.send(observation)

    def _answer(self, drawn: Sequence[str | None]) -> Generator[Action, Observation, None]:
        results: dict[str | None, str | None] = {None: None, NULL: NO_ANSWER}
        for sql in drawn:
            if sql not in results:
                seen = yield Call("run_sql", {"query": sql})
                results[sql] = result_of(seen.text)
        decision = decide([Vote(sql, results[sql]) for sql in drawn], self._threshold)
        sure = {"confidence": decision.confidence}
        if decision.sql is None:
            yield Call("abstain", {"reason": decision.reason, **sure})
        else:
            yield Call("submit_sql", {"query": decision.sql, **sure})


async def _sample(model: Model, messages: Sequence[Message]) -> str | None:
    """One query, "null" for no answer, or None for an answer that could not be read."""
    try:
        sql = (await model.structured(messages, Written)).sql.strip().rstrip(";").rstrip()
    except MalformedAnswerError:
        return None
    return NULL if sql.lower() == NULL else sql
