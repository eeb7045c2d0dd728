"""The EHRSQL environment: a question, a database to try queries on, and one answer."""

from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.benchmarks.kit.tool_results import is_error, tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox

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
        """Returns a tool's result, the last one if it answers or abstains."""
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
