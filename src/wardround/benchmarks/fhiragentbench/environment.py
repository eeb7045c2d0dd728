"""FHIR-AgentBench's environment: a question, tool calls, and one message as the answer."""

from wardround.benchmarks.kit.agent_texts import tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Noted, Trajectory
from wardround.ehr.fhir.interaction import FhirServer

ENDED = "ended"
ANSWERED, LIMIT = "answered", "iteration limit"


class FhirEnvironment:
    """Carries out an agent's calls; its first message without a call is its answer.

    Args:
        briefing: the agent's rules and tools.
        request: the question with its context.
        tools: the tools of the strategy.
        server: the record, closed at the end.
        iterations: the most calls and messages.
        trajectory: gets a note of the end.
    """

    def __init__(
        self,
        briefing: Briefing,
        request: str,
        tools: Toolbox,
        server: FhirServer,
        iterations: int,
        trajectory: Trajectory,
    ) -> None:
        self.briefing = briefing
        self._request = request
        self._tools = tools
        self._server = server
        self._iterations = iterations
        self._trajectory = trajectory

    async def start(self) -> Observation:
        """Returns the question."""
        return Observation(self._request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out a call, or ends the trial with the answer."""
        self._iterations -= 1
        match action:
            case Say(text=text):
                self._end({"reason": ANSWERED, "answer": text})
                return Observation("", "environment", done=True)
            case Call() as call:
                text = await tool_text(self._tools, call)
        if self._iterations > 0:
            return Observation(text, "tool")
        self._end({"reason": LIMIT})
        return Observation(text, "tool", done=True)

    async def close(self) -> None:
        """Closes the record."""
        self._server.close()

    def _end(self, data: dict[str, str]) -> None:
        self._trajectory.record(Noted(ENDED, data))
