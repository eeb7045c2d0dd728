"""Our messages, tools and settings in pydantic-ai's words, and its responses in ours."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import orjson
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings as ProviderSettings
from pydantic_ai.tools import ToolDefinition

from wardround.core.tools import ToolSpec
from wardround.models.exchange import Request
from wardround.models.messages import Message, ModelCall, Reply
from wardround.models.tool_names import names_by_provider_name, provider_name

_FINISH = {None: "stop", "stop": "stop", "tool_call": "tool_call", "length": "length"}


def to_messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """A conversation; what stands between two assistant messages becomes one request."""
    translated: list[ModelMessage] = []
    for spoken, group in groupby(messages, key=lambda message: message.role == "assistant"):
        if spoken:
            translated.extend(_to_response(message) for message in group)
        else:
            translated.append(ModelRequest(parts=[_to_part(message) for message in group]))
    return translated


def to_parameters(request: Request, profile: ModelProfile) -> ModelRequestParameters:
    """The tools, or the form of the answer in whatever way the model can be held to it.

    Raises:
        UserError: a tool's name cannot be sent, or two tools would have the same.
    """
    if request.schema is None:
        names_by_provider_name(tool.name for tool in request.tools)
        return ModelRequestParameters(function_tools=[_to_definition(t) for t in request.tools])
    form: dict[str, Any] = {"name": request.schema_name}
    if profile.get("supports_json_schema_output"):
        output = OutputObjectDefinition(json_schema=request.schema, **form)
        return ModelRequestParameters(
            output_mode="native", output_object=output, allow_text_output=True
        )
    if profile.get("supports_tools", True):
        answer = ToolDefinition(
            parameters_json_schema=request.schema,
            description="Gives the answer.",
            kind="output",
            **form,
        )
        return ModelRequestParameters(
            output_mode="tool", output_tools=[answer], allow_text_output=False
        )
    return ModelRequestParameters(
        output_mode="prompted",
        output_object=OutputObjectDefinition(json_schema=request.schema, **form),
        prompted_output_template="Answer with one JSON object of this JSON schema: {schema}",
    )


def to_settings(request: Request, timeout: float) -> ProviderSettings:
    """How to answer, and within how many seconds."""
    settings = ProviderSettings(request_timeout=timeout)
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    if request.seed is not None:
        settings["seed"] = request.seed
    return settings


def from_response(response: ModelResponse, request: Request) -> Reply:
    """What the model said; an answer given through an output tool becomes text."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    reason = _FINISH.get(response.finish_reason, str(response.finish_reason))
    if request.schema is not None:
        return Reply(next((_raw(call.args) for call in calls), text), (), reason)
    names = names_by_provider_name(tool.name for tool in request.tools)
    read = tuple(_from_call(call, names.get(call.tool_name, call.tool_name)) for call in calls)
    return Reply(text, read, reason, _opaque(response))


def _to_part(message: Message) -> ModelRequestPart:
    match message.role:
        case "system":
            return SystemPromptPart(message.text)
        case "tool":
            return ToolReturnPart(provider_name(message.tool), message.text, message.call_id)
        case _:
            return UserPromptPart(message.text)


def _to_response(message: Message) -> ModelMessage:
    if message.opaque:
        return ModelMessagesTypeAdapter.validate_json(message.opaque)[0]
    parts: list[ModelResponsePart] = [TextPart(message.text)] if message.text else []
    parts.extend(
        ToolCallPart(provider_name(call.tool), call.arguments, call.id) for call in message.calls
    )
    return ModelResponse(parts=parts)


def _to_definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=provider_name(tool.name),
        description=tool.description,
        parameters_json_schema=tool.parameters,
    )


def _from_call(part: ToolCallPart, name: str) -> ModelCall:
    """A call; arguments that are no JSON object are the model's mistake, which it is told."""
    try:
        arguments = part.args if isinstance(part.args, dict) else orjson.loads(part.args or "{}")
    except orjson.JSONDecodeError as error:
        return ModelCall(part.tool_call_id, name, {}, _unreadable(name, str(error)))
    if not isinstance(arguments, dict):
        problem = _unreadable(name, f"got {type(arguments).__name__}")
        return ModelCall(part.tool_call_id, name, {}, problem)
    return ModelCall(part.tool_call_id, name, arguments)


def _raw(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()


def _unreadable(name: str, why: str) -> str:
    return f"The arguments of {name!r} are not one JSON object ({why}). Call it again."


def _opaque(response: ModelResponse) -> str:
    """The response itself, where it holds what a reasoning model needs back."""
    return (
        ModelMessagesTypeAdapter.dump_json([response]).decode() if _signed(response.parts) else ""
    )


def _signed(parts: Iterable[ModelResponsePart]) -> bool:
    return any(
        isinstance(part, ThinkingPart) or getattr(part, "provider_details", None) for part in parts
    )
