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
    """A conversation with a user, with tools, until the user ends it (Lee et al. 2025, 3.1).

    Args:
        briefing: the agent's instructions, tools and facts.
        user: the simulated user.
        tools: the agent's tools.
        on_call: called with each tool call before it is carried out.
    """

    def __init__(
        self,
        briefing: Briefing,
        user: Person,
        tools: Toolbox,
        on_call: Callable[[Call], None] = lambda call: None,
    ) -> None:
        self.briefing = briefing
        self._user = user
        self._tools = tools
        self._on_call = on_call

    async def start(self) -> Observation:
        """Returns the user's opening message, in which an end token ends nothing, as published."""
        return Observation((await self._user.open()).text, "user")

    async def step(self, action: Action) -> Observation:
        """Returns the user's reply, or a tool's result."""
        match action:
            case Say(text):
                return _observation(await self._user.reply(text))
            case Call() as call:
                self._on_call(call)
                return Observation(await tool_text(self._tools, call), "tool")

    async def close(self) -> None:
        """Does nothing: the database belongs to the benchmark."""


def _observation(utterance: Utterance) -> Observation:
    return Observation(utterance.text, "user", done=utterance.ends)


KNOWN_SCHEMAS = ("mimic_iv_star", "eicu_star")


def agent_rules(facts: Mapping[str, str], schema: str, limits: Limits) -> str:
    """Builds the agent's instructions.

    Args:
        facts: the briefing's facts: flow, dialect and current time.
        schema: the recognised schema; one not in `KNOWN_SCHEMAS` gets general rules.
        limits: the trial's limits, which the instructions state.
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
