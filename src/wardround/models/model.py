"""The language model as agents and people see it: bound to a role, a seed and a record."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from wardround.core.errors import WardroundError
from wardround.core.tools import ToolSpec
from wardround.models.messages import Message, Reply

Schema = TypeVar("Schema", bound=BaseModel)


class ConversationTooLongError(WardroundError):
    """The messages no longer fit the model's context window.

    An agent whose history does not fit has failed by itself, as with any error it lets out;
    a simulated person whose history does not fit makes the trial an `infra_error`.
    """


class Model(Protocol):
    """A model bound to one role of one trial; every request is recorded under that role."""

    @property
    def name(self) -> str:
        """The model's name, as recorded."""
        ...

    async def chat(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        """Asks for the next message.

        Raises:
            ConversationTooLongError: the messages no longer fit the model's context window.
            InfraError: the provider failed beyond the retries that the settings allow.
            UserError: the provider refuses the key or does not know the model.
        """
        ...

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Schema:
        """Asks for an answer of a given form, with a bounded number of repairs.

        Raises:
            MalformedAnswerError: the model gave no answer of that form, repairs included.
            ConversationTooLongError: the messages no longer fit the model's context window.
            InfraError: the provider failed beyond the retries that the settings allow.
            UserError: the provider refuses the key or does not know the model.
        """
        ...
