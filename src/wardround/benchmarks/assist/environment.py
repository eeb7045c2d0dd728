"""A session as an environment: four questions, tools over the record, a patient to ask."""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from typing import Any

from wardround.benchmarks.assist.declaration import CALLS, LAST_REQUESTS
from wardround.benchmarks.assist.sessions import PREPARE, stage_name
from wardround.benchmarks.assist.turns import REFUSED
from wardround.benchmarks.kit.agent_texts import tool_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Noted, StageStarted, Trajectory

PHYSICIAN = "physician"


class SessionEnvironment:
    """Asks the questions in order; a message of the agent answers the current one.

    After the most calls of a turn, calls are refused with a request to answer; a turn with too
    many of those ends without an answer.

    Args:
        briefing: the agent's rules and tools.
        opening: the session's facts, said before the first question.
        questions: the physician's questions.
        tools: the tools; the control tool among them is not counted.
        request: the request to answer without tools.
        trajectory: gets the beginning of each turn.
        close: frees the trial's resources.
    """

    def __init__(
        self,
        briefing: Briefing,
        opening: str,
        questions: Sequence[str],
        tools: Toolbox,
        request: str,
        trajectory: Trajectory,
        close: Callable[[], Any],
    ) -> None:
        self.briefing = briefing
        self._opening = opening
        self._questions = questions
        self._tools = tools
        self._request = request
        self._trajectory = trajectory
        self._close = close
        self._turn = 0
        self._calls = 0
        self._requests = 0

    async def start(self) -> Observation:
        """Returns the session's facts and the first question."""
        return self._ask(f"{self._opening}\n\n{self._questions[0]}")

    async def step(self, action: Action) -> Observation:
        """Carries out a call, or takes an answer and asks the next question."""
        match action:
            case Say():
                return self._next()
            case Call(tool=tool) if tool != PREPARE and self._calls == CALLS:
                return self._refuse(tool)
            case Call() as call:
                self._calls += call.tool != PREPARE
                text = await tool_text(self._tools, call)
                return Observation(text, "tool", stage=stage_name(self._turn))

    async def close(self) -> None:
        """Drops the trial's writes."""
        await to_thread(self._close)

    def _next(self) -> Observation:
        self._turn, self._calls, self._requests = self._turn + 1, 0, 0
        if self._turn == len(self._questions):
            return Observation("", PHYSICIAN, done=True, stage=stage_name(self._turn - 1))
        return self._ask(self._questions[self._turn])

    def _ask(self, text: str) -> Observation:
        stage = stage_name(self._turn)
        self._trajectory.record(StageStarted(stage, self._questions[self._turn]))
        return Observation(text, PHYSICIAN, stage=stage)

    def _refuse(self, tool: str) -> Observation:
        """Requests an answer without tools; ends the turn if that was in vain too often."""
        self._trajectory.record(Noted(REFUSED, {"tool": tool}))
        if self._requests == LAST_REQUESTS:
            return self._next()
        self._requests += 1
        return Observation(self._request, "environment", stage=stage_name(self._turn))
