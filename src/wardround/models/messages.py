"""What is said to a language model and what it says back, independent of any provider."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A tool call that a model asked for; `id` pairs it with its result."""

    id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model.

    Attributes:
        role: who it is from; "tool" carries a tool's result.
        text: what it says; may be empty when an assistant only calls tools.
        calls: an assistant's tool calls.
        call_id: for role "tool": the call it answers.
        tool: for role "tool": the tool's name.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    call_id: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered: text, tool calls, or both."""

    text: str
    calls: tuple[ModelCall, ...] = ()
    finish_reason: str = "stop"

    def as_message(self) -> Message:
        """The reply as a message to go on from."""
        return Message("assistant", self.text, self.calls)
