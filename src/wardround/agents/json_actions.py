"""An agent on a language model without native tool calls: it answers each turn with JSON."""

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, BaseModel, WithJsonSchema, create_model, model_validator

from wardround.agents.model_agents import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError, MalformedAnswerError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

SAY = "say"


class JsonTurn(BaseModel):
    """What the model answers. The turn is inside as providers take no choice as the outermost."""

    turn: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, answer: Any) -> Any:
        """Some models leave out the outer object."""
        bare = isinstance(answer, dict) and "turn" not in answer
        return {"turn": answer} if bare else answer


class JsonActionsAgent:
    """Lists the tools in its instructions and reads each turn's action from a JSON object."""

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._model = model
        self._form = form_for(briefing.tools)
        rules = "\n\n".join([briefing.rules, FORM, describe(briefing.tools)])
        self._messages = [Message("system", rules)]

    async def act(self, observation: Observation) -> Action:
        """The action in the model's answer.

        Raises:
            AgentError: the model gave no answer of the right form, repairs included.
        """
        heard = observation.text
        if observation.source == "tool":
            heard = f"Result of the tool:\n{heard}"
        self._messages.append(Message("user", heard))
        try:
            turn = (await self._model.structured(self._messages, self._form)).turn
        except MalformedAnswerError as error:
            raise AgentError(str(error)) from error
        self._messages.append(Message("assistant", _shown(turn)))
        if turn["action"] == SAY:
            return Say(turn["text"])
        return Call(turn["action"], turn.get("arguments", {}))


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents on this model, one a trial.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, JsonActionsAgent, "json")


FORM = """Answer with one JSON object and nothing else, in one of these two forms:
{"turn": {"action": "say", "text": "what you tell or ask the user"}}
{"turn": {"action": "NAME OF A TOOL", "arguments": {"NAME": VALUE}}}"""


def describe(tools: Sequence[ToolSpec]) -> str:
    """The tools as a list in plain text."""
    return "\n".join(["The tools:", *(f"- {_signature(t)}: {_one_line(t)}" for t in tools)])


def _signature(tool: ToolSpec) -> str:
    required = tool.parameters.get("required", [])
    given = tool.parameters.get("properties", {})
    names = [name if name in required else f"{name}?" for name in given]
    return f"{tool.name}({', '.join(names)})"


def _one_line(tool: ToolSpec) -> str:
    return " ".join(tool.description.split())


def form_for(tools: Sequence[ToolSpec]) -> type[JsonTurn]:
    """The answer's form: a turn is something said, or one of the tools with its own arguments.

    A server that holds a model to the form makes it give what the tool needs.
    """
    needed = {tool.name: tool.parameters.get("required", []) for tool in tools}

    def checked(turn: dict[str, Any]) -> dict[str, Any]:
        if problem := _problem(turn, needed):
            raise ValueError(problem)
        return turn

    said = _object(action={"const": SAY}, text={"type": "string"})
    called = [_object(action={"const": one.name}, arguments=_arguments(one)) for one in tools]
    turns = WithJsonSchema({"anyOf": [said, *called]})
    form: Any = Annotated[dict[str, Any], AfterValidator(checked), turns]
    return create_model("Turn", __base__=JsonTurn, turn=(form, ...))


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _arguments(tool: ToolSpec) -> dict[str, Any]:
    """A tool's form of arguments; definitions that it refers to would not be found from here."""
    return {"type": "object"} if "$defs" in tool.parameters else tool.parameters


def _problem(turn: dict[str, Any], needed: dict[str, list[str]]) -> str:
    """What is wrong with a turn; its arguments' types are for the tool to check."""
    action, arguments = turn.get("action"), turn.get("arguments", {})
    if action == SAY:
        said = turn.get("text")
        return "" if isinstance(said, str) and said.strip() else '"text" has to be what you say'
    if action not in needed:
        return f'"action" has to be one of {", ".join((SAY, *needed))}'
    if not isinstance(arguments, dict):
        return '"arguments" has to be an object'
    missing = [name for name in needed[action] if name not in arguments]
    return f"{action} needs {', '.join(missing)}" if missing else ""


def _shown(turn: dict[str, Any]) -> str:
    """The turn as the model should remember it: in the form that was asked for."""
    return orjson.dumps({"turn": turn}).decode()
