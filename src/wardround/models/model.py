"""The language model as agents and people see it: bound to a role, a seed and a record."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models.messages import Message, Reply

Schema = TypeVar("Schema", bound=BaseModel)


class Model(Protocol):
    """A model bound to one role of one trial; every request is recorded under that role."""

    @property
    def name(self) -> str:
        """The model's name, as recorded."""
        ...

    async def chat(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        """Asks for the next message.

        Raises:
            InfraError: the provider failed beyond the retries that the settings allow.
        """
        ...

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Schema:
        """Asks for an answer of a given form, with a bounded number of repairs.

        Raises:
            MalformedAnswerError: the model gave no answer of that form, repairs included.
            InfraError: the provider failed beyond the retries that the settings allow.
        """
        ...


class LanguageModel(Protocol):
    """A model as it is opened once for a run; trials get it bound to a role."""

    @property
    def name(self) -> str:
        """The model's name, as recorded."""
        ...

    def bind(self, role: str, record: Callable[[Requested], None], seed: int | None) -> Model:
        """The model for one role of one trial, its requests going to `record`."""
        ...
