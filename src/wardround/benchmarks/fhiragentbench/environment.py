"""FHIR-AgentBench's environment: tools that retrieve, and an answer in words."""

from wardround.benchmarks.fhiragentbench.retriever import Retriever
from wardround.benchmarks.fhiragentbench.tools import CODE, tools_of
from wardround.benchmarks.kit.agent_texts import tool_text
from wardround.core.actions import Action, Call, Observation
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Noted, Requested, Trajectory
from wardround.ehr.fhir.interaction import FhirServer

ENDED = "ended"
ONCE = "Resources can be retrieved in one message only; answer now."
CODE_ONCE = "Code can be run once only; answer now."
GO_ON = "Go on."
FINAL = "the final answer is:"
# Published answers of trials that end without one.
NO_CALLS = "No tool calls found in the response"
NO_ANSWER = "No final answer reached within iteration limit."


class FhirEnvironment:
    """Answers calls of tools until the agent says its answer.

    The calls between two requests to the agent's model are one message. For an agent without
    requests, all retrievals count as one message if it may retrieve once; otherwise each call
    counts as a message.

    Args:
        rules: the agent's instructions.
        request: the question with its context.
        server: the record.
        strategy: the strategy of the run.
        iterations: the most messages of strategies that retrieve again and again.
        trajectory: gets a note of the answer and the ids of the kept resources.
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
        self._iterations = iterations
        self._messages = 0
        self._requests = 0
        self._retrieving = 0  # the message that retrieves, where only one may
        self._ran_code = False
        self._trajectory = trajectory

    async def start(self) -> Observation:
        """Returns the question."""
        return Observation(self._request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out a call, or takes an answer."""
        self._count_message()
        if not self._once and self._messages > self._iterations:
            return self._end(NO_ANSWER)
        if isinstance(action, Call):
            return Observation(await self._called(action), "tool")
        if self._once:
            return self._end(action.text if self._retrieving else NO_CALLS)
        if FINAL in action.text.lower():
            return self._end(action.text)
        if self._messages == self._iterations:
            return self._end(NO_ANSWER)
        return Observation(GO_ON, "environment")

    async def close(self) -> None:
        """Closes the record."""
        self._server.close()

    def _count_message(self) -> None:
        """Counts the message of an action, unless it is a further call of the same message."""
        requests = sum(
            isinstance(event, Requested) and event.role == "agent"
            for event in self._trajectory.events
        )
        if requests > self._requests or (requests == 0 and not self._once):
            self._messages += 1
        self._requests = requests
        self._messages = max(1, self._messages)

    async def _called(self, call: Call) -> str:
        if self._once and call.tool == CODE:
            if self._ran_code:
                return CODE_ONCE
            self._ran_code = True
        elif self._once:
            self._retrieving = self._retrieving or self._messages
            if self._messages > self._retrieving:
                return ONCE
        return await tool_text(self._tools, call)

    def _end(self, answer: str) -> Observation:
        """Ends the trial with an answer."""
        self._trajectory.record(Noted(ENDED, {"answer": answer, "ids": self._retriever.ids()}))
        return Observation("", "environment", done=True)
