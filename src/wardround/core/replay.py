"""Lives a recorded trial again without any model: the agent does what it did."""

from collections.abc import Iterator

from wardround.core.actions import Action, Observation
from wardround.core.errors import AgentError
from wardround.core.trajectory import Returned, Trajectory


class ReplayAgent:
    """Does what the agent did, whatever it observes."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._actions: Iterator[Action] = trajectory.actions()

    async def act(self, observation: Observation) -> Action:
        """The next recorded action.

        Raises:
            AgentError: the recorded agent did no more.
        """
        action = next(self._actions, None)
        if action is None:
            raise AgentError("the recorded agent did no more")
        return action


def tool_results(trajectory: Trajectory) -> list[Returned]:
    """What the tools gave back, in order."""
    return [event for event in trajectory.events if isinstance(event, Returned)]
