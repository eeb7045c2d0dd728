"""An agent on a language model without native tool calls: it answers each turn with JSON."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import orjson
from pydantic import BaseModel, Field, create_model, model_validator

from wardround.agents.on_model import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError, MalformedAnswerError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.models.door import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

SAY = "say"


class JsonTurn(BaseModel):
    """What the model answers: `action` names a tool, or is "say"."""

    action: str
    text: str = Field("", description="what to say to the user, when the action is say")
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="the tool's arguments, when the action is a tool"
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.action == SAY and not self.text.strip():
            raise ValueError('with the action "say", "text" must not be empty')
        return self


class JsonActionsAgent:
    """Lists the tools in its instructions and reads each turn's action from a JSON object."""

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._model = model
        self._form = _form_for(briefing.tools)
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
            turn = await self._model.structured(self._messages, self._form)
        except MalformedAnswerError as error:
            raise AgentError(str(error)) from error
        self._messages.append(Message("assistant", _shown(turn)))
        if turn.action == SAY:
            return Say(turn.text)
        return Call(turn.action, turn.arguments)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents on this model, one a trial.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, JsonActionsAgent, "json")


FORM = """Answer with one JSON object and nothing else, in one of these two forms:
{"action": "say", "text": "what you tell or ask the user"}
{"action": "NAME OF A TOOL", "arguments": {"NAME": VALUE}}"""


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


def _form_for(tools: Sequence[ToolSpec]) -> type[JsonTurn]:
    """The answer's form with the actions that there are."""
    actions: Any = Literal[(SAY, *(tool.name for tool in tools))]
    return create_model("Turn", __base__=JsonTurn, action=(actions, ...))


def _shown(turn: JsonTurn) -> str:
    """The turn as the model should remember it: in the form that was asked for."""
    kept = {"text"} if turn.action == SAY else {"arguments"}
    return orjson.dumps(turn.model_dump(include={"action", *kept})).decode()
