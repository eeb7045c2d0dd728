"""An agent on a language model that calls tools natively."""

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import AgentError, UserError
from wardround.core.task import Briefing
from wardround.models.messages import Message, ModelCall, Reply
from wardround.models.door import LanguageModel
from wardround.models.model import Model

EMPTY_REPLIES = 2
NUDGE = "Your reply was empty. Call one tool, or say something to the user."


class ToolCallingAgent:
    """Keeps the whole conversation and lets the model choose one tool call or message a turn.

    A model that asks for several calls at once gets its first one carried out; text beside a
    call is kept in its memory and not said.
    """

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._tools = briefing.tools
        self._model = model
        self._messages = [Message("system", briefing.rules)]
        self._awaited: ModelCall | None = None

    async def act(self, observation: Observation) -> Action:
        """The model's next call or message.

        Raises:
            AgentError: the model keeps answering with nothing.
        """
        self._messages.append(self._heard(observation))
        for _ in range(EMPTY_REPLIES + 1):
            reply = await self._model.chat(self._messages, self._tools)
            if reply.calls or reply.text.strip():
                return self._taken(reply)
            self._messages.append(Message("user", NUDGE))
        raise AgentError(f"the model answered with nothing {EMPTY_REPLIES + 1} times in a row")

    def _heard(self, observation: Observation) -> Message:
        if self._awaited is None:
            return Message("user", observation.text)
        return Message("tool", observation.text, call_id=self._awaited.id, tool=self._awaited.tool)

    def _taken(self, reply: Reply) -> Action:
        self._awaited = reply.calls[0] if reply.calls else None
        self._messages.append(Message("assistant", reply.text, reply.calls[:1]))
        if self._awaited is None:
            return Say(reply.text)
        return Call(self._awaited.tool, self._awaited.arguments)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents on this model, one a trial.

    Raises:
        UserError: no model was named.
    """
    if model is None:
        raise UserError("The agent 'tools' needs a language model; name one with --model.")

    def make(briefing: Briefing, context: AgentContext) -> ToolCallingAgent:
        return ToolCallingAgent(briefing, model.bind("agent", context.ledger.record, context.seed))

    return make
