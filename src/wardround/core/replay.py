"""Repeats the actions of a recorded trial, without any model."""

from collections.abc import Iterator

from wardround.core.actions import Action, Observation
from wardround.core.errors import AgentError
from wardround.core.trajectory import Returned, Trajectory


class ReplayAgent:
    """Repeats the recorded actions, whatever it observes."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._actions: Iterator[Action] = trajectory.actions()

    async def act(self, observation: Observation) -> Action:
        """The next recorded action.

        Raises:
            AgentError: there are no more recorded actions.
        """
        action = next(self._actions, None)
        if action is None:
            raise AgentError("the recorded agent did no more")
        return action


def tool_results(trajectory: Trajectory) -> list[Returned]:
    """The results of tool calls, in order."""
    return [event for event in trajectory.events if isinstance(event, Returned)]
