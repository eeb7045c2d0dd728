"""The EHR-ChatQA room: a user to talk to and six tools over a database."""

from collections.abc import Callable

from wardround.benchmarks.kit.tool_results import tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.people.person import Person, Utterance


class ChatEnvironment:
    """The agent talks with the user and uses tools until the user ends the talk (paper, 3.1).

    Args:
        briefing: what the agent is told.
        user: whom it talks to.
        tools: what it may use.
        called: called with each tool call before it is carried out.
    """

    def __init__(
        self,
        briefing: Briefing,
        user: Person,
        tools: Toolbox,
        called: Callable[[Call], None] = lambda call: None,
    ) -> None:
        self.briefing = briefing
        self._user = user
        self._tools = tools
        self._called = called

    async def start(self) -> Observation:
        """The user's opening question."""
        return _heard(await self._user.open())

    async def step(self, action: Action) -> Observation:
        """The user's answer to what was said, or a tool's result."""
        match action:
            case Say(text):
                return _heard(await self._user.reply(text))
            case Call() as call:
                self._called(call)
                return Observation(await tool_text(self._tools, call), "tool")

    async def close(self) -> None:
        """Nothing is held: the database belongs to the benchmark."""


def _heard(utterance: Utterance) -> Observation:
    return Observation(utterance.text, "user", done=utterance.ends)
