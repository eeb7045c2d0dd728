"""An agent on a language model that writes each action as a JSON object."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, BaseModel, WithJsonSchema, create_model, model_validator

from wardround.agents.model_agents import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError, MalformedAnswerError, UserError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

SAY = "say"


class JsonTurn(BaseModel):
    """The model's answer; the turn is inside because providers refuse `anyOf` at the top."""

    turn: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _wrap(cls, answer: Any) -> Any:
        """Adds the outer object, which some models leave out."""
        bare = isinstance(answer, dict) and "turn" not in answer
        return {"turn": answer} if bare else answer


class JsonActionsAgent:
    """Lists the tools in its instructions and reads one action from each answer."""

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._model = model
        self._turn = turn_schema(briefing.tools)
        rules = "\n\n".join([briefing.rules, FORM, tool_list(briefing.tools)])
        self._messages = [Message("system", rules)]

    async def act(self, observation: Observation) -> Action:
        """Returns the action in the model's next answer.

        Raises:
            AgentError: the model gave no valid answer, even after repairs.
        """
        text = observation.text
        if observation.source == "tool":
            text = f"Result of the tool:\n{text}"
        self._messages.append(Message("user", text))
        try:
            turn = (await self._model.structured(self._messages, self._turn)).turn
        except MalformedAnswerError as error:
            raise AgentError(str(error)) from error
        self._messages.append(Message("assistant", _answer(turn)))
        if turn["action"] == SAY:
            return Say(turn["text"])
        return Call(turn["action"], turn.get("arguments", {}))


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Returns a maker of agents on this model.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, JsonActionsAgent, "json")


FORM = """Answer with one JSON object and nothing else, in one of these two forms:
{"turn": {"action": "say", "text": "what you tell or ask the user"}}
{"turn": {"action": "NAME OF A TOOL", "arguments": {"NAME": VALUE}}}"""


def tool_list(tools: Sequence[ToolSpec]) -> str:
    """The tools as a list in plain text."""
    return "\n".join(["The tools:", *(f"- {_signature(t)}: {_one_line(t)}" for t in tools)])


def _signature(tool: ToolSpec) -> str:
    required = tool.parameters.get("required", [])
    given = tool.parameters.get("properties", {})
    names = [name if name in required else f"{name}?" for name in given]
    return f"{tool.name}({', '.join(names)})"


def _one_line(tool: ToolSpec) -> str:
    return " ".join(tool.description.split())


def turn_schema(tools: Sequence[ToolSpec]) -> type[JsonTurn]:
    """The answer's schema: a turn says something, or calls a tool with the tool's arguments.

    Servers that enforce the schema make the model give each tool its required arguments.

    Raises:
        UserError: a tool is called "say".
    """
    if any(tool.name == SAY for tool in tools):
        raise UserError(f"The agent 'json' says things by {SAY!r}: give the tool another name.")
    required = {tool.name: tool.parameters.get("required", []) for tool in tools}

    def check(turn: dict[str, Any]) -> dict[str, Any]:
        if problem := _problem(turn, required):
            raise ValueError(problem)
        return turn

    say = _object(action={"const": SAY}, text={"type": "string"})
    calls = [_object(action={"const": tool.name}, arguments=_arguments(tool)) for tool in tools]
    schema = WithJsonSchema({"anyOf": [say, *calls]})
    turn: Any = Annotated[dict[str, Any], AfterValidator(check), schema]
    return create_model("Turn", __base__=JsonTurn, turn=(turn, ...))


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _arguments(tool: ToolSpec) -> Mapping[str, Any]:
    """The schema of a tool's arguments; without those whose `$defs` would be out of reach."""
    return {"type": "object"} if "$defs" in tool.parameters else tool.parameters


def _problem(turn: dict[str, Any], required: dict[str, list[str]]) -> str:
    """The problem of a turn, or ""; the tool checks the types of its arguments."""
    action, arguments = turn.get("action"), turn.get("arguments", {})
    if action == SAY:
        text = turn.get("text")
        return "" if isinstance(text, str) and text.strip() else '"text" has to be what you say'
    if action not in required:
        return f'"action" has to be one of {", ".join((SAY, *required))}'
    if not isinstance(arguments, dict):
        return '"arguments" has to be an object'
    missing = [name for name in required[action] if name not in arguments]
    return f"{action} needs {', '.join(missing)}" if missing else ""


def _answer(turn: dict[str, Any]) -> str:
    """The turn in the form asked for, to be kept in the conversation."""
    return orjson.dumps({"turn": turn}).decode()
