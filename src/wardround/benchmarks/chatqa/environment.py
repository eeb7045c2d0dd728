"""The EHR-ChatQA environment: the agent's instructions, a user to talk to, and six tools."""

from collections.abc import Callable, Mapping

from wardround.benchmarks.chatqa import prompts
from wardround.benchmarks.kit.agent_texts import limit_words, tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.limits import Limits
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.models.prompts import fill
from wardround.people.person import Person, Utterance


class ChatEnvironment:
    """The agent talks with the user and uses tools until the user ends the talk.

    See (Lee et al. 2025, 3.1).

    Args:
        briefing: the agent's instructions, tools and facts.
        user: the person that it talks to.
        tools: the tools.
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
        """Returns the user's opening question."""
        return _observation(await self._user.open())

    async def step(self, action: Action) -> Observation:
        """Returns the user's reply, or a tool's result."""
        match action:
            case Say(text):
                return _observation(await self._user.reply(text))
            case Call() as call:
                self._called(call)
                return Observation(await tool_text(self._tools, call), "tool")

    async def close(self) -> None:
        """Does nothing: the database belongs to the benchmark."""


def _observation(utterance: Utterance) -> Observation:
    return Observation(utterance.text, "user", done=utterance.ends)


KNOWN_SCHEMAS = ("mimic_iv_star", "eicu_star")


def agent_rules(facts: Mapping[str, str], schema: str, limits: Limits) -> str:
    """The agent's instructions in full.

    Args:
        facts: the briefing's facts: flow, dialect and current time.
        schema: the schema that the database was recognised to have; rules for others are general.
        limits: the trial's limits, which the agent may know.
    """
    now = facts["current_time"]
    database = fill(
        prompts.__name__,
        f"database_{schema if schema in KNOWN_SCHEMAS else 'other'}.md",
        dialect=facts["dialect"],
        current_time=now,
        today=now[:10],
        this_month=now[:7],
        this_year=now[:4],
    )
    grading = fill(prompts.__name__, f"grading_{facts['flow']}.md")
    return fill(
        prompts.__name__, "agent.md", grading=grading, database=database, **limit_words(limits)
    )
