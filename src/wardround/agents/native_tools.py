"""An agent on a language model that calls tools natively."""

from collections.abc import Iterator

from wardround.agents.model_agents import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.messages import Message, ModelCall, Reply
from wardround.models.model import Model

TRIES = 3
NUDGE = "Your reply was empty. Call one tool, or say something to the user."
ONE_AT_A_TIME = "Not carried out: make one call at a time."


class ToolCallingAgent:
    """Keeps the whole conversation and lets the model choose one call or message a turn.

    Of several calls at once the first is carried out and the model is told so of the others;
    text beside a call stays in its memory and is not said.
    """

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._tools = briefing.tools
        self._model = model
        self._messages = [Message("system", briefing.rules)]
        self._open_calls: tuple[ModelCall, ...] = ()

    async def act(self, observation: Observation) -> Action:
        """The model's next call or message.

        Raises:
            AgentError: the model keeps answering with nothing that can be carried out.
        """
        self._messages.extend(self._answers(observation.text))
        for _ in range(TRIES):
            reply = await self._model.chat(self._messages, self._tools)
            self._messages.append(reply.as_message())
            self._open_calls = reply.calls
            if (action := _action(reply)) is not None:
                return action
            self._messages.extend(self._answers(reply.calls[0].problem if reply.calls else NUDGE))
        raise AgentError(f"the model gave nothing to carry out {TRIES} times in a row")

    def _answers(self, text: str) -> Iterator[Message]:
        """A text as the answer to the first open call, or as the user's words if none is open."""
        if not self._open_calls:
            yield Message("user", text)
        for number, call in enumerate(self._open_calls):
            answer = ONE_AT_A_TIME if number else text
            yield Message("tool", answer, call_id=call.id, tool=call.tool)


def _action(reply: Reply) -> Action | None:
    """What the reply asks for; None for nothing, or for a call that could not be read."""
    if reply.calls:
        first = reply.calls[0]
        return None if first.problem else Call(first.tool, first.arguments)
    return Say(reply.text) if reply.text.strip() else None


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents on this model, one a trial.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, ToolCallingAgent, "tools")
