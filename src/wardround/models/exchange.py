"""One request to a model and its answer, as plain data that can be kept, compared and replayed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import orjson
from pydantic import TypeAdapter

from wardround.core.tools import ToolSpec
from wardround.models.messages import Message, Reply


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that can change what a model answers, and nothing else.

    Attributes:
        model: provider and model, as in the settings.
        base_url: the server, for OpenAI-compatible endpoints.
        messages: the conversation.
        tools: the tools that may be called.
        schema: the JSON schema that the answer must have; None for free text.
        schema_name: what the schema is called.
        temperature: sampling temperature.
        reasoning_effort: for models that reason.
        max_tokens: the longest answer.
        seed: the sampling seed that is sent, below 2**31; None when none is sent.
    """

    model: str
    base_url: str | None
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    schema: dict[str, Any] | None = None
    schema_name: str = ""
    temperature: float | None = None
    reasoning_effort: str | None = None
    max_tokens: int | None = None
    seed: int | None = None

    @property
    def key(self) -> str:
        """A hash of all fields: equal requests have equal keys, in any process."""
        return sha256(orjson.dumps(self, option=orjson.OPT_SORT_KEYS)).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request came to.

    Attributes:
        reply: what the model said.
        input_tokens: tokens read.
        output_tokens: tokens written.
        cost: US dollars; None when the model's price is not known.
        retries: how many provider faults were waited out.
        cached: True when it came from a cache or a recording.
    """

    reply: Reply
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    retries: int = 0
    cached: bool = False


Source: TypeAlias = Callable[[Request], Awaitable[Answer]]
"""Whatever answers requests: a provider, a cache before one, a recording, a script."""


def answer_to_json(answer: Answer) -> bytes:
    """The answer as JSON on one line."""
    return orjson.dumps(answer)


def answer_from_json(text: bytes) -> Answer:
    """The inverse of `answer_to_json`.

    Raises:
        pydantic.ValidationError: the text is not an answer.
    """
    return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)
