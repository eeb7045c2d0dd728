"""The EHRSQL environment: the agent's instructions, a question, a database, and one answer."""

from collections.abc import Mapping

from wardround.benchmarks.ehrsql import prompts
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges
from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.benchmarks.kit.agent_texts import limit_words, tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.limits import Limits
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox, is_error
from wardround.models.prompts import fill

NOBODY = "Nobody is listening: call a tool, and end with submit_sql or abstain."


class EhrsqlEnvironment:
    """Asks one question; the trial ends when the agent submits a query or abstains."""

    def __init__(self, briefing: Briefing, question: str, tools: Toolbox) -> None:
        self.briefing = briefing
        self._question = question
        self._tools = tools

    async def start(self) -> Observation:
        """Returns the question."""
        return Observation(self._question, "user")

    async def step(self, action: Action) -> Observation:
        """Returns a tool's result; the trial is done if the call answers or abstains."""
        match action:
            case Say():
                return Observation(NOBODY, "environment")
            case Call() as call:
                return await self._use(call)

    async def close(self) -> None:
        """Does nothing: the database belongs to the benchmark."""

    async def _use(self, call: Call) -> Observation:
        text = await tool_text(self._tools, call)
        ends = call.tool in (SUBMIT, ABSTAIN) and not is_error(text)
        return Observation(text, "tool", done=ends)


def agent_rules(facts: Mapping[str, str], schema: str, limits: Limits) -> str:
    """Builds the agent's instructions.

    Args:
        facts: the briefing's facts: dialect and current time.
        schema: the tables, as `CREATE TABLE` text.
        limits: the trial's limits, which the instructions state.
    """
    return fill(
        prompts.__name__,
        "agent.md",
        dialect=facts["dialect"],
        current_time=facts["current_time"],
        vital_signs=", ".join(dict.fromkeys(w.rpartition("_")[0] for w in normal_ranges())),
        schema=schema,
        **limit_words(limits),
    )
