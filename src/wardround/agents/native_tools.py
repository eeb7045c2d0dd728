"""An agent on a language model with native tool calls."""

from collections.abc import Sequence

from wardround.agents.model_agents import agents_on
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.errors import AgentError
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.messages import Message, ModelCall
from wardround.models.model import Model

TRIES = 3
NUDGE = "Your reply was empty. Call one tool, or say something to the user."
NEW_STAGE = "Not carried out: the next request came before this call."
REFUSED = "Not carried out: a call before this one was refused."


class ToolCallingAgent:
    """Keeps the whole conversation and carries out the calls of each reply one by one.

    Each call is an action. All results go back to the model together, in the order of the calls;
    if a new stage begins or the environment refuses a call (the budget is spent), the rest are
    answered "not carried out". Text next to a call stays in the conversation and is not said.
    """

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._tools = briefing.tools
        self._model = model
        self._messages = [Message("system", briefing.rules)]
        self._calls = CallQueue()
        self._stage = ""

    async def act(self, observation: Observation) -> Action:
        """Returns the next call of the model's last reply, or the action of its next reply.

        Raises:
            AgentError: the model keeps replying without an action that can be carried out.
        """
        self._take(observation)
        if (call := self._calls.next()) is not None:
            return call
        for _ in range(TRIES):
            if (action := await self._ask()) is not None:
                return action
        raise AgentError(f"the model gave nothing to carry out {TRIES} times in a row")

    def _take(self, observation: Observation) -> None:
        """Takes an observation as the open call's result, or as words if no call is open."""
        new_stage, self._stage = observation.stage != self._stage, observation.stage
        if not self._calls.is_open:
            self._messages.append(Message("user", observation.text))
            return
        self._calls.answer(observation.text)
        if new_stage:
            self._calls.drop(NEW_STAGE)
        elif observation.source == "environment":
            self._calls.drop(REFUSED)

    async def _ask(self) -> Action | None:
        """The first action of the model's next reply; None if it has none."""
        self._messages.extend(self._calls.results())
        reply = await self._model.chat(self._messages, self._tools)
        self._messages.append(reply.as_message())
        self._calls = CallQueue(reply.calls)
        if reply.calls:
            return self._calls.next()
        if reply.text.strip():
            return Say(reply.text)
        self._messages.append(Message("user", NUDGE))
        return None


class CallQueue:
    """The tool calls of one reply, each answered once, results in the order of the calls.

    >>> queue = CallQueue([ModelCall("1", "beds", {}), ModelCall("2", "staff", {})])
    >>> queue.next()
    Call(tool='beds', arguments={})
    >>> queue.answer("3 beds")
    >>> queue.drop("Not carried out.")
    >>> [(result.call_id, result.text) for result in queue.results()]
    [('1', '3 beds'), ('2', 'Not carried out.')]
    """

    def __init__(self, calls: Sequence[ModelCall] = ()) -> None:
        self._calls = calls
        self._answers: list[str] = []
        self.is_open = False  # the call that `next` returned has no answer yet

    def next(self) -> Call | None:
        """The next readable call; unreadable ones before it are answered with their problem."""
        for call in self._calls[len(self._answers) :]:
            if not call.problem:
                self.is_open = True
                return Call(call.tool, call.arguments)
            self.answer(call.problem)
        return None

    def answer(self, text: str) -> None:
        """Answers the first call that has no answer."""
        self._answers.append(text)
        self.is_open = False

    def drop(self, reason: str) -> None:
        """Answers all remaining calls with the reason why they are not carried out."""
        for call in self._calls[len(self._answers) :]:
            self.answer(call.problem or reason)

    def results(self) -> list[Message]:
        """The answers so far, as messages to the model."""
        pairs = zip(self._calls, self._answers, strict=False)
        return [Message("tool", text, call_id=call.id, tool=call.tool) for call, text in pairs]


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Returns a maker of agents on this model.

    Raises:
        UserError: no model was named.
    """
    return agents_on(model, ToolCallingAgent, "tools")
