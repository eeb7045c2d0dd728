"""The protocol of a language model that is bound to a role of a trial."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from wardround.core.errors import WardroundError
from wardround.core.tools import ToolSpec
from wardround.models.messages import Message, Reply

Schema = TypeVar("Schema", bound=BaseModel)


class ConversationTooLongError(WardroundError):
    """The messages exceed the model's context window.

    For an agent this is its own failure, as any error that it raises; for a simulated person it
    makes the trial an `infra_error`.
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
