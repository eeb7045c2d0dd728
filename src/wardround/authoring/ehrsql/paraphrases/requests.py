"""What a language model is asked: for other wordings, and whether one asks the same thing."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field, create_model

from wardround.benchmarks.ehrsql import prompts
from wardround.core.errors import MalformedAnswerError
from wardround.models import Message, Model
from wardround.models.prompts import fill


class Verdict(BaseModel):
    """What a judge says of a new wording.

    Attributes:
        same: Whether it asks what the template asks.
        natural: How natural it sounds, from 1 to 5.
    """

    same: bool
    natural: int = Field(ge=1, le=5)


async def ask_for_wordings(
    model: Model, question: str, known: Sequence[str], kept: Sequence[str], count: int
) -> tuple[str, ...]:
    """Other wordings of a question, as the model gives them.

    Args:
        model: Who is asked.
        question: The question with its slots filled.
        known: Wordings of it that there are.
        kept: What fills its slots.
        count: How many are asked for.

    Raises:
        MalformedAnswerError: If it gives none.
    """
    asked = [
        f"The question: {question}",
        *(f"Said otherwise: {wording}" for wording in known),
        f"Put it in {count} other ways, none of them one of these.",
    ]
    messages = [
        Message("system", fill(prompts.__name__, "paraphrase.md", kept=kept)),
        Message("user", "\n".join(asked)),
    ]
    given = await model.structured(messages, _wordings(count))
    return tuple(given.questions[:count])  # type: ignore[attr-defined]


async def ask_if_same(model: Model, question: str, other: str) -> Verdict | None:
    """Whether another wording asks the same thing; None where the model gives no verdict."""
    pair = f"First: {question}\nSecond: {other}"
    messages = [
        Message("system", fill(prompts.__name__, "same_question.md")),
        Message("user", pair),
    ]
    try:
        return await model.structured(messages, Verdict)
    except MalformedAnswerError:
        return None


def _wordings(count: int) -> type[BaseModel]:
    """The form of the answer; `maxItems` keeps small models from going on for ever."""
    several = Annotated[list[str], Field(min_length=1, json_schema_extra={"maxItems": count})]
    return create_model("Wordings", questions=(several, ...))
