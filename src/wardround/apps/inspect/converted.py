"""A trial's events and use of models, as Inspect's messages and usage."""

from collections.abc import Iterable, Iterator

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelUsage,
)
from inspect_ai.tool import ToolCall

from wardround.core.record import RoleUse, TrialRecord
from wardround.core.trajectory import Called, Event, Returned, Said, StageStarted


def messages_of(events: Iterable[Event]) -> Iterator[ChatMessage]:
    """The conversation: each call of a tool with its result, each message with its speaker."""
    call = 0
    for event in events:
        match event:
            case Said("agent", text):
                yield ChatMessageAssistant(content=text)
            case Said(speaker, text):
                yield ChatMessageUser(content=text, metadata={"speaker": speaker})
            case StageStarted(stage, text):
                yield ChatMessageUser(content=text, metadata={"stage": stage})
            case Called(tool, arguments):
                call += 1
                made = ToolCall(id=f"call-{call}", function=tool, arguments=dict(arguments))
                yield ChatMessageAssistant(content="", tool_calls=[made])
            case Returned(tool, text):
                yield ChatMessageTool(content=text, function=tool, tool_call_id=f"call-{call}")


def usage_by_role(trials: Iterable[TrialRecord]) -> dict[str, ModelUsage]:
    """Tokens and cost by role, as far as they are known."""
    totals: dict[str, ModelUsage] = {}
    for trial in trials:
        for role, use in trial.use.items():
            totals[role] = totals.get(role, ModelUsage()) + _model_usage(use)
    return totals


def _model_usage(use: RoleUse) -> ModelUsage:
    read, written = use.input_tokens or 0, use.output_tokens or 0
    return ModelUsage(
        input_tokens=read,
        output_tokens=written,
        total_tokens=read + written,
        total_cost=use.cost,
    )
