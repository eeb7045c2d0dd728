"""ClinSQL's environment: a question, at most three submissions, and tools in one regime."""

from asyncio import to_thread

from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.tools import SUBMIT
from wardround.benchmarks.kit.agent_texts import tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox, error_text

REFINEMENTS = 2  # after the first submission (Shen et al. 2026, 5.1)
MOST_LOOKS = 20
NOBODY = "Nobody is listening: call a tool, and end with submit_sql."
NO_ROW = "The query ran and gave no row."


class CohortEnvironment:
    """Asks one question and runs what is submitted.

    Args:
        briefing: what the agent may know.
        question: the question.
        tools: the tools; `submit_sql` is carried out here.
        executions: runs queries.
        refinements: how often a query that fails may be mended.
        refine_empty: whether one without rows may be mended as well.
    """

    def __init__(
        self,
        briefing: Briefing,
        question: str,
        tools: Toolbox,
        executions: Executions,
        *,
        refinements: int = REFINEMENTS,
        refine_empty: bool = False,
    ) -> None:
        self.briefing = briefing
        self._question = question
        self._tools = tools
        self._executions = executions
        self._refinements = refinements
        self._refine_empty = refine_empty
        self._looks = 0
        self._may_look = len(tools.specs) > 1

    async def start(self) -> Observation:
        """Returns the question."""
        return Observation(self._question, "user")

    async def step(self, action: Action) -> Observation:
        """Returns a tool's result; the last one if the query ran or must not be mended again.

        An agent that writes no query gives up: the published protocol ends there as well.
        """
        match action:
            case Say():
                return Observation(NOBODY, "environment", done=not self._may_look)
            case Call(tool="submit_sql", arguments={"query": str(query)}) if query.strip():
                return await self._submitted(query)
            case Call() as call:
                return await self._look_up(call)

    async def close(self) -> None:
        """Does nothing: the database belongs to the benchmark."""

    async def _submitted(self, query: str) -> Observation:
        outcome = await to_thread(self._executions.of, query)
        mends = not outcome.succeeded or (self._refine_empty and not outcome.rows)
        done = not mends or self._refinements == 0
        self._refinements -= mends
        return Observation(_text(outcome), "tool", done=done)

    async def _look_up(self, call: Call) -> Observation:
        if self._looks >= MOST_LOOKS:
            refused = ToolError(f"All {MOST_LOOKS} calls are used; call {SUBMIT}.")
            return Observation(error_text(refused), "tool")
        self._looks += 1
        return Observation(await tool_text(self._tools, call), "tool")


def _text(outcome: Execution) -> str:
    if not outcome.succeeded:
        return error_text(ToolError(outcome.error))
    if not outcome.rows:
        return NO_ROW
    count = len(outcome.rows)
    return f"The query ran and gave {count:,} row{'' if count == 1 else 's'}."
