"""What is said to a language model and what it says back, independent of any provider."""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A tool call that a model asked for; `id` pairs it with its result.

    Attributes:
        id: the provider's name for the call.
        tool: the tool's name.
        arguments: JSON values by parameter name; empty when there is a `problem`.
        problem: why the arguments could not be read, in words for the model; the call should
            not be carried out but answered with this. Empty when they could.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model.

    Attributes:
        role: who it is from; "tool" carries a tool's result.
        text: what it says; may be empty when an assistant only calls tools.
        calls: an assistant's tool calls.
        call_id: for role "tool": the call it answers.
        tool: for role "tool": the tool's name.
        opaque: for role "assistant": the provider's own form of the message, from its `Reply`.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    call_id: str = ""
    tool: str = ""
    opaque: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered: text, tool calls, or both.

    Attributes:
        text: what it says.
        calls: the tools it wants called.
        finish_reason: "stop", "tool_call", "length" (cut off at the longest answer allowed),
            "content_filter" or "error".
        opaque: what a reasoning model needs to get back with the next request (signed thoughts),
            in the provider's own form; empty for other models.
    """

    text: str
    calls: tuple[ModelCall, ...] = ()
    finish_reason: str = "stop"
    opaque: str = field(default="", repr=False)

    def as_message(self) -> Message:
        """The reply as a message to go on from.

        >>> Reply("Which ward?").as_message()
        Message(role='assistant', text='Which ward?', calls=(), call_id='', tool='')
        """
        return Message("assistant", self.text, self.calls, opaque=self.opaque)
