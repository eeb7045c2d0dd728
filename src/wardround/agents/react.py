"""An agent on a language model that writes its thoughts and one action as text (ReAct)."""

import re

import orjson

from wardround.agents.json_actions import tool_list
from wardround.agents.model_agents import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

TRIES = 3

FORM = """Each turn, write what you think and then one action, in this form and nothing after it:
Thought: what you know, what is missing, what to do next
Action: NAME OF A TOOL {"NAME": VALUE}

To speak to the user instead of using a tool, end with:
Say: what you tell or ask the user"""

_ACTION = re.compile(r"^\s*\**(Action|Say)\**:\**\s*(.*)", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"`*(\w+(?:[.-]\w+)*)(.*)", re.DOTALL)

# Models go on with an observation of their own; it is cut off.
_MADE_UP = re.compile(r"^\s*\**(?:Observation|Result|Thought)\**:", re.MULTILINE)


class ReactAgent:
    """Keeps the conversation with its thoughts and reads one action from each reply."""

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._model = model
        rules = "\n\n".join([briefing.rules, FORM, tool_list(briefing.tools)])
        self._messages = [Message("system", rules)]

    async def act(self, observation: Observation) -> Action:
        """Returns the action at the end of the model's next reply.

        Raises:
            AgentError: the model keeps writing replies without a readable action.
        """
        text = observation.text
        if observation.source == "tool":
            text = f"Observation: {text}"
        self._messages.append(Message("user", text))
        for _ in range(TRIES):
            reply = _without_made_up((await self._model.chat(self._messages)).text)
            self._messages.append(Message("assistant", reply or "Thought:"))
            action = read_action(reply)
            if not isinstance(action, str):
                return action
            self._messages.append(Message("user", action))
        raise AgentError(f"the model wrote no action {TRIES} times in a row")


def read_action(text: str) -> Action | str:
    r"""Reads the action that a reply ends with, or returns its problem for the model.

    >>> read_action('Thought: I look.\nAction: get_schema {}')
    Call(tool='get_schema', arguments={})
    >>> read_action("Say: Which year?")
    Say(text='Which year?')
    """
    match = _ACTION.search(text)
    if match is None:
        return "There was no line that begins with Action: or Say:. Write one."
    kind, rest = match[1], match[2].strip()
    if kind == "Say":
        return Say(rest) if rest else "After Say: nothing was written."
    return _read_call(rest)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Returns a maker of agents on this model.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, ReactAgent, "react")


def _read_call(text: str) -> Call | str:
    named = _CALL.match(text)
    if named is None:
        return "After Action: no tool was named."
    name, written = named[1], named[2].strip("`() \n") or "{}"
    try:
        arguments = orjson.loads(written)
    except orjson.JSONDecodeError as error:
        return f"The arguments of {name} are no JSON object ({error}). Write them as JSON."
    return Call(name, arguments) if isinstance(arguments, dict) else f"Give {name} a JSON object."


def _without_made_up(text: str) -> str:
    """The reply without anything made up after its action."""
    action = _ACTION.search(text)
    if action is None:
        return text.strip()
    made_up = _MADE_UP.search(text, action.start(2))
    return text[: made_up.start() if made_up else len(text)].strip()
