"""A language model that is bound to a role of a trial: its protocol and its settings."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from wardround.core.errors import WardroundError
from wardround.core.tools import ToolSpec
from wardround.models.messages import Message, Reply


class ModelSettings(BaseModel):
    """One role's model.

    Attributes:
        name: provider and model, such as "openai:gpt-4o-mini"; with `base_url`, the model of any
            OpenAI-compatible server as "openai:NAME".
        base_url: the server, for OpenAI-compatible endpoints.
        api_key_env: the environment variable of the key, if not the provider's own.
        temperature: sampling temperature; None, or "none", leaves it to the provider.
        reasoning_effort: for models that reason; None leaves it to the provider.
        max_tokens: the most tokens of an answer.
        timeout: seconds for one answer, from the request to the last byte.
        retries: retries after provider faults (429, 5xx, timeout, lost connection, malformed
            reply) before the trial ends as `infra_error`.
        max_wait: the most seconds that one call waits for the provider in total; if the provider
            asks for more, the trial ends as `infra_error` at once.
        input_price: US dollars for a million input tokens; None for the provider's list price,
            which is not known for a server at `base_url`.
        output_price: the same for output tokens.
        seeded: True to send the trial's seed to providers that accept one ("openai:" without
            `base_url` does not, "openai-chat:" does).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    max_tokens: int | None = Field(4096, gt=0)
    timeout: float = Field(120.0, gt=0, allow_inf_nan=False)
    retries: int = Field(5, ge=0)
    max_wait: float = Field(300.0, ge=0, allow_inf_nan=False)
    input_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    output_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    seeded: bool = True

    @field_validator("temperature", mode="before")
    @classmethod
    def _parse_none(cls, value: Any) -> Any:
        return None if value == "none" else value


Schema = TypeVar("Schema", bound=BaseModel)


class ConversationTooLongError(WardroundError):
    """The messages exceed the model's context window.

    For an agent it counts as its own failure, for a simulated person as an `infra_error`.
    """


class Model(Protocol):
    """A model bound to one role of one trial; its requests are recorded under that role."""

    @property
    def name(self) -> str:
        """The model's name, as recorded."""
        ...

    async def chat(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        """Asks for the next message.

        Raises:
            ConversationTooLongError: the messages exceed the model's context window.
            InfraError: the provider failed more often than the settings allow.
            UserError: the provider rejects the key or does not have the model.
        """
        ...

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Schema:
        """Asks for an answer of a schema, with a bounded number of repairs.

        Raises:
            MalformedAnswerError: the model gave no valid answer, even after repairs.
            ConversationTooLongError: the messages exceed the model's context window.
            InfraError: the provider failed more often than the settings allow.
            UserError: the provider rejects the key or does not have the model.
        """
        ...
