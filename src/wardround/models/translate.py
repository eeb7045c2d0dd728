"""Translates messages, tools, settings and responses to and from pydantic-ai."""

import re
from collections.abc import Iterable, Mapping, Sequence
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

from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.models.exchange import Request
from wardround.models.messages import Message, ModelCall, Reply

LONGEST = 64
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_REFUSED = re.compile(r"[^A-Za-z0-9_.-]")

_FINISH = {None: "stop", "stop": "stop", "tool_call": "tool_call", "length": "length"}


def to_messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """A conversation; consecutive messages not by the assistant become one request."""
    translated: list[ModelMessage] = []
    for is_reply, group in groupby(messages, key=lambda message: message.role == "assistant"):
        if is_reply:
            translated.extend(_to_response(message) for message in group)
        else:
            translated.append(ModelRequest(parts=[_to_part(message) for message in group]))
    return translated


def to_parameters(request: Request, profile: ModelProfile) -> ModelRequestParameters:
    """The tools, or the answer's schema in a form that the model supports.

    Raises:
        UserError: a tool's name is invalid for a provider, or two names collide.
    """
    if request.schema is None:
        names_by_provider_name(tool.name for tool in request.tools)
        return ModelRequestParameters(function_tools=[_to_definition(t) for t in request.tools])
    schema = dict(request.schema)
    name_and_description: dict[str, Any] = {"name": request.schema_name}
    if profile.get("supports_json_schema_output"):
        output = OutputObjectDefinition(json_schema=schema, **name_and_description)
        return ModelRequestParameters(
            output_mode="native", output_object=output, allow_text_output=True
        )
    if profile.get("supports_tools", True):
        answer = ToolDefinition(
            parameters_json_schema=schema,
            description="Gives the answer.",
            kind="output",
            **name_and_description,
        )
        return ModelRequestParameters(
            output_mode="tool", output_tools=[answer], allow_text_output=False
        )
    return ModelRequestParameters(
        output_mode="prompted",
        output_object=OutputObjectDefinition(json_schema=schema, **name_and_description),
        prompted_output_template="Answer with one JSON object of this JSON schema: {schema}",
    )


def to_settings(request: Request, timeout: float) -> ProviderSettings:
    """The sampling parameters and the timeout in seconds."""
    settings = ProviderSettings(request_timeout=timeout)
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    if request.seed is not None:
        settings["seed"] = request.seed
    return settings


def from_response(response: ModelResponse, request: Request) -> Reply:
    """The model's reply; a structured answer from an output tool becomes text."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    reason = _FINISH.get(response.finish_reason, str(response.finish_reason))
    if request.schema is not None:
        return Reply(next((_raw(call.args) for call in calls), text), (), reason)
    tools = {provider_name(tool.name): tool for tool in request.tools}
    read = tuple(_from_call(call, tools.get(call.tool_name)) for call in calls)
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
        ToolCallPart(provider_name(call.tool), provider_arguments(call.arguments), call.id)
        for call in message.calls
    )
    return ModelResponse(parts=parts)


def _to_definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=provider_name(tool.name),
        description=tool.description,
        parameters_json_schema=provider_parameters(tool),
    )


def _from_call(part: ToolCallPart, tool: ToolSpec | None) -> ModelCall:
    """A call, with a problem if its arguments are not a JSON object."""
    name = tool.name if tool else part.tool_name
    try:
        arguments = part.args if isinstance(part.args, dict) else orjson.loads(part.args or "{}")
    except orjson.JSONDecodeError as error:
        return ModelCall(part.tool_call_id, name, {}, _unreadable(name, str(error)))
    if not isinstance(arguments, dict):
        problem = _unreadable(name, f"got {type(arguments).__name__}")
        return ModelCall(part.tool_call_id, name, {}, problem)
    return ModelCall(part.tool_call_id, name, our_arguments(arguments, tool) if tool else arguments)


def _raw(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()


def _unreadable(name: str, why: str) -> str:
    return f"The arguments of {name!r} are not one JSON object ({why}). Call it again."


def _opaque(response: ModelResponse) -> str:
    """The response as JSON if a reasoning model requires parts of it in the next request."""
    return (
        ModelMessagesTypeAdapter.dump_json([response]).decode() if _signed(response.parts) else ""
    )


def _signed(parts: Iterable[ModelResponsePart]) -> bool:
    return any(
        isinstance(part, ThinkingPart) or getattr(part, "provider_details", None) for part in parts
    )


def provider_name(name: str) -> str:
    """The provider's name of a tool.

    >>> provider_name("Chart.search")
    'Chart-search'
    """
    return name.replace(".", "-")


def names_by_provider_name(names: Iterable[str]) -> dict[str, str]:
    """Original tool names by provider's name, for all tools of a request.

    Raises:
        UserError: a name is too long or has forbidden characters, or two names collide.
    """
    original_names: dict[str, str] = {}
    for name in names:
        if not _TOOL.fullmatch(name) or len(name) > LONGEST:
            raise UserError(
                f"The tool name {name!r} cannot be sent to a language model: use at most "
                f"{LONGEST} letters, digits, '_', '-' and '.', and begin with a letter or '_'."
            )
        first = original_names.setdefault(provider_name(name), name)
        if first != name:
            raise UserError(
                f"The tools {first!r} and {name!r} have the same name for a language model, "
                f"{provider_name(name)!r}: rename one of them."
            )
    return original_names


def provider_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments under the provider's parameter names.

    >>> provider_arguments({"_count": 3, "code:in": "icd-10"})
    {'_count': 3, 'code-in': 'icd-10'}
    """
    return {_REFUSED.sub("-", name): value for name, value in arguments.items()}


def our_arguments(arguments: dict[str, Any], tool: ToolSpec) -> dict[str, Any]:
    """Arguments under a tool's original parameter names; unknown names stay unchanged."""
    ours = {_REFUSED.sub("-", name): name for name in tool.parameters.get("properties", {})}
    return {ours.get(name, name): value for name, value in arguments.items()}


def provider_parameters(tool: ToolSpec) -> dict[str, Any]:
    """A tool's JSON schema with the provider's parameter names.

    Raises:
        UserError: two names collide.
    """
    schema = tool.parameters
    properties = provider_arguments(schema.get("properties", {}))
    if len(properties) < len(schema.get("properties", {})):
        raise UserError(
            f"Two parameters of the tool {tool.name!r} have the same name for a language model, "
            f"which takes only letters, digits, '_', '-' and '.': rename one of them."
        )
    renamed: dict[str, Any] = {"properties": properties} if properties else {}
    if "required" in schema:
        renamed["required"] = [_REFUSED.sub("-", name) for name in schema["required"]]
    return {**schema, **renamed}
