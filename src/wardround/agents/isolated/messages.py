"""The messages between wardround and the process of an agent, as JSON values.

wardround sends `start`, `observe` and `end` for each trial; the process answers an observation by
`say`, `call` or `error`, and before that may `ask` the model, which is answered by `answer`.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ActionError, AgentError, InfraError, UserError, WardroundError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.models.exchange import Request
from wardround.models.messages import Reply
from wardround.models.model import ConversationTooLongError, ModelSettings
from wardround.sandbox.error_output import plain
from wardround.sandbox.line_process import SIZE

# The number under which a process speaks of itself, not of a trial.
OPENING = 0

_ERRORS: dict[str, type[WardroundError]] = {
    "action": ActionError,
    "agent": AgentError,
    "infra": InfraError,
    "too_long": ConversationTooLongError,
    "user": UserError,
}


def start_message(trial: int, briefing: Briefing, seed: int) -> dict[str, Any]:
    """The beginning of a trial: all that its agent is told before it starts."""
    tools = [asdict(tool) for tool in briefing.tools]
    start = {"rules": briefing.rules, "tools": tools, "facts": dict(briefing.facts)}
    return {"type": "start", "trial": trial, "seed": seed, **start}


def briefing_of(message: Mapping[str, Any]) -> Briefing:
    """The briefing in a `start` message."""
    tools = tuple(ToolSpec(**tool) for tool in message["tools"])
    return Briefing(message["rules"], tools, message["facts"])


def observe_message(trial: int, observation: Observation) -> dict[str, Any]:
    """An observation, which the agent is to answer by an action."""
    return {"type": "observe", "trial": trial, **asdict(observation)}


def observation_of(message: Mapping[str, Any]) -> Observation:
    """The observation in an `observe` message."""
    fields = ("text", "source", "done", "budget", "stage")
    return Observation(**{name: message[name] for name in fields})


def action_message(trial: int, action: Action) -> dict[str, Any]:
    """An action of the agent."""
    match action:
        case Say(text):
            return {"type": "say", "trial": trial, "text": text}
        case Call(tool, arguments):
            return {"type": "call", "trial": trial, "tool": tool, "arguments": arguments}


def error_fields(error: BaseException) -> dict[str, str]:
    """An error's kind and text; one that is not wardround's is the agent's failure."""
    for kind, form in _ERRORS.items():
        if isinstance(error, form):
            return {"kind": kind, "message": str(error)}
    text = f"the agent raised {type(error).__name__}: {error}"
    return {"kind": "agent", "message": text}


def error_of(message: Mapping[str, Any], known: Collection[str]) -> WardroundError:
    """The error in a message, in plain text.

    Args:
        message: the message; its agent could name any kind to keep a failure from counting.
        known: the kinds that wardround itself has told the agent; any other is its own failure,
            an action's included.
    """
    kind = str(message.get("kind"))
    form = _ERRORS[kind] if kind in known or kind == "action" else AgentError
    return form(plain(str(message.get("message", "the agent failed"))))


def ask_message(trial: int, number: int, request: Request) -> dict[str, Any]:
    """A request of the agent to its model; the rest of it is the run's."""
    wanted = ("messages", "tools", "schema", "schema_name", "temperature", "max_tokens", "seed")
    values = asdict(request)
    asked = {name: values[name] for name in (*wanted, "reasoning_effort")}
    return {"type": "ask", "trial": trial, "ask": number, **asked}


def request_of(message: Mapping[str, Any], settings: ModelSettings, seed: int) -> Request:
    """The request in an `ask` message, to the run's own model.

    Args:
        message: the message; the run's values fill omitted fields.
        settings: the model's settings.
        seed: the agent's seed.

    Raises:
        AgentError: it is not a request.
    """
    usual = Request(
        model=settings.name,
        base_url=settings.base_url,
        messages=(),
        temperature=settings.temperature,
        reasoning_effort=settings.reasoning_effort,
        max_tokens=settings.max_tokens,
        seed=seed % 2**31 if settings.seeded else None,
    )
    asked = {k: v for k, v in message.items() if k not in ("type", "trial", "ask", SIZE)}
    try:
        request: Request = _adapter().validate_python({**asdict(usual), **asked})
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))
        text = f"the agent's request to its model is wrong: {where}: {problem['msg']}"
        raise AgentError(text) from None
    return replace(request, model=usual.model, base_url=usual.base_url)


def answer_message(trial: int, number: object, reply: Reply) -> dict[str, Any]:
    """The model's reply to a request."""
    return {"type": "answer", "trial": trial, "ask": number, "reply": asdict(reply)}


def reply_of(message: Mapping[str, Any]) -> Reply:
    """The reply in an `answer` message.

    Raises:
        WardroundError: the model could not be asked, or failed.
    """
    if "reply" not in message:
        raise error_of(message, _ERRORS)
    reply: Reply = _reply_adapter().validate_python(message["reply"])
    return reply


@cache
def _adapter() -> TypeAdapter[Request]:
    return TypeAdapter(Request)


@cache
def _reply_adapter() -> TypeAdapter[Reply]:
    return TypeAdapter(Reply)
