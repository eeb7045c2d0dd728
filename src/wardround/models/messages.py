"""Messages to and from language models, independent of any provider."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A tool call in a model's reply.

    Attributes:
        id: the provider's name for the call, which pairs it with its result.
        tool: the tool's name.
        arguments: JSON values by parameter name; empty if there is a `problem`.
        problem: an error about unreadable arguments, sent to the model as the call's result;
            empty if there is none.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model.

    Attributes:
        role: its author; "tool" for a tool's result.
        text: its text; empty if an assistant only calls tools.
        calls: an assistant's tool calls.
        call_id: for role "tool": the id of the call.
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
    """A model's reply: text, tool calls, or both.

    Attributes:
        text: its text.
        calls: its tool calls.
        finish_reason: "stop", "tool_call", "length" (truncated at `max_tokens`),
            "content_filter" or "error".
        opaque: the reply in the provider's own form, including the signed thoughts that reasoning
            models require in the next request; empty for other models.
    """

    text: str
    calls: tuple[ModelCall, ...] = ()
    finish_reason: str = "stop"
    opaque: str = field(default="", repr=False)

    def as_message(self) -> Message:
        """The reply as a message of the conversation.

        >>> Reply("Which ward?").as_message()
        Message(role='assistant', text='Which ward?', calls=(), call_id='', tool='')
        """
        return Message("assistant", self.text, self.calls, opaque=self.opaque)
