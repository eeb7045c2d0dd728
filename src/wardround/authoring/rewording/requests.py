"""Requests to the models that word texts anew and compare them; prompts are the maker's."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field, create_model

from wardround.core.errors import MalformedAnswerError
from wardround.models import Message, Model


# The name and docstring are sent to the model: recordings are found by them.
class Verdict(BaseModel):
    """What a judge says of a new wording.

    Attributes:
        same: Whether it asks what the template asks.
        natural: How natural it sounds, from 1 to 5.
    """

    same: bool
    natural: int = Field(ge=1, le=5)


async def request_wordings(
    model: Model, instructions: str, question: str, known: Sequence[str], count: int
) -> tuple[str, ...]:
    """Ask a model for other wordings of a question.

    Args:
        model: The model.
        instructions: The system prompt.
        question: The question with its slots filled.
        known: Wordings of it that there are.
        count: How many are asked for.

    Raises:
        MalformedAnswerError: It gives none.
    """
    lines = [
        f"The question: {question}",
        *(f"Said otherwise: {wording}" for wording in known),
        f"Put it in {count} other ways, none of them one of these.",
    ]
    messages = [Message("system", instructions), Message("user", "\n".join(lines))]
    given = await model.structured(messages, _wordings(count))
    return tuple(given.questions[:count])  # type: ignore[attr-defined]


async def request_verdict(
    model: Model, instructions: str, question: str, other: str
) -> Verdict | None:
    """Ask a judge if two questions are the same; None if it gives no verdict."""
    pair = f"First: {question}\nSecond: {other}"
    messages = [Message("system", instructions), Message("user", pair)]
    try:
        return await model.structured(messages, Verdict)
    except MalformedAnswerError:
        return None


def _wordings(count: int) -> type[BaseModel]:
    """The form of the answer; `maxItems` keeps small models from going on for ever."""
    several = Annotated[list[str], Field(min_length=1, json_schema_extra={"maxItems": count})]
    return create_model("Wordings", questions=(several, ...))
