"""FHIR-AgentBench's environment: tools that retrieve, and an answer in words."""

from wardround.benchmarks.fhiragentbench.retriever import Retriever
from wardround.benchmarks.fhiragentbench.tools import CODE, tools_of
from wardround.benchmarks.kit.agent_texts import error_text, tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Noted, Trajectory
from wardround.ehr.fhir.interaction import FhirServer

RETRIEVED = "retrieved"
ONCE = "Resources can be retrieved once only; answer now, with Answer: on the last line."
ENOUGH = "All calls are used; answer now, with Answer: on the last line."


class FhirEnvironment:
    """Answers calls of tools until the agent says its answer.

    Args:
        rules: the agent's instructions.
        request: the question with its context.
        server: the record.
        strategy: the strategy of the run.
        iterations: the most calls.
        trajectory: gets a note of the retrieved ids.
    """

    def __init__(
        self,
        rules: str,
        request: str,
        server: FhirServer,
        strategy: str,
        iterations: int,
        trajectory: Trajectory,
    ) -> None:
        self._retriever = Retriever(server)
        self._tools = Toolbox(tools_of(strategy, self._retriever))
        self.briefing = Briefing(rules, self._tools.specs, {"strategy": strategy})
        self._request = request
        self._server = server
        self._once = strategy.startswith("single")
        self._left = iterations
        self._retrievals = 0
        self._trajectory = trajectory

    async def start(self) -> Observation:
        """Returns the question."""
        return Observation(self._request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out a call; the first words of the agent are its answer."""
        if isinstance(action, Say):
            self._trajectory.record(Noted(RETRIEVED, {"ids": self._retriever.ids()}))
            return Observation("", "environment", done=True)
        if self._left <= 0:
            return Observation(ENOUGH, "environment")
        self._left -= 1
        return Observation(await self._called(action), "tool")

    async def close(self) -> None:
        """Closes the record."""
        self._server.close()

    async def _called(self, call: Call) -> str:
        if call.tool != CODE:
            if self._once and self._retrievals:
                return error_text(ToolError(ONCE))
            self._retrievals += 1
        return await tool_text(self._tools, call)
