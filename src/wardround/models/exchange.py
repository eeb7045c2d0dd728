"""A request to a model and its answer as plain data, to be stored, compared and replayed."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import orjson
from pydantic import TypeAdapter

from wardround.core.tools import ToolSpec
from wardround.models.messages import Message, Reply


@dataclass(frozen=True, slots=True)
class Request:
    """A request, with exactly the inputs that can change a model's answer.

    Attributes:
        model: provider and model, as in the settings.
        base_url: the server, for OpenAI-compatible endpoints.
        messages: the conversation.
        tools: the tools that may be called.
        schema: the JSON schema of the answer; None for free text.
        schema_name: the schema's name.
        temperature: sampling temperature.
        reasoning_effort: for models that reason.
        max_tokens: the most tokens of the answer.
        seed: the sampling seed, below 2**31; None to send none.
    """

    model: str
    base_url: str | None
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    schema: Mapping[str, Any] | None = None
    schema_name: str = ""
    temperature: float | None = None
    reasoning_effort: str | None = None
    max_tokens: int | None = None
    seed: int | None = None

    @property
    def key(self) -> str:
        """A hash of all that is sent; equal requests have equal keys in any process."""
        inputs: dict[str, Any] = {
            each.name: _sorted_json(getattr(self, each.name)) for each in fields(self)
        }
        # A tool's role is not sent to models.
        sent = ("name", "description", "parameters", "price")
        inputs["tools"] = [
            {name: _sorted_json(getattr(tool, name)) for name in sent} for tool in self.tools
        ]
        return sha256(orjson.dumps(inputs)).hexdigest()


def _sorted_json(value: Any) -> orjson.Fragment:
    """JSON with sorted keys; dataclasses keep the order of their fields."""
    return orjson.Fragment(orjson.dumps(value, option=orjson.OPT_SORT_KEYS))


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request.

    Attributes:
        reply: the model's message.
        input_tokens: tokens read; None if unknown.
        output_tokens: tokens written; None if unknown.
        cost: US dollars; None if the price is unknown.
        retries: the number of provider faults before it.
        cached: True if it came from a cache or a recording.
    """

    reply: Reply
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = None
    retries: int = 0
    cached: bool = False


Source: TypeAlias = Callable[[Request], Awaitable[Answer]]
"""Answers requests: a provider, a cache in front of one, a recording, a script."""

USED_TOKENS: ContextVar[list[tuple[int | None, int | None]]] = ContextVar("used tokens")
"""The tokens read and written by each completion that a provider sent, usable or not."""


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
