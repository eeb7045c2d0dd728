"""The environment and the agent as the loop sees them."""

from typing import Protocol

from wardround.core.actions import Action, Observation
from wardround.core.task import Briefing


class Environment(Protocol):
    """A task being lived: tools, people, database, budget, and when it is over.

    A step may raise any exception: it counts as a fault of the environment, never of the agent.
    """

    @property
    def briefing(self) -> Briefing:
        """What the agent is told before it starts."""
        ...

    async def start(self) -> Observation:
        """Opens the room; the first observation is what the agent hears first."""
        ...

    async def step(self, action: Action) -> Observation:
        """Carries out an action and tells what came back."""
        ...

    async def close(self) -> None:
        """Gives back what the trial held; called once, however the trial ended."""
        ...


class Agent(Protocol):
    """Turns observations into actions."""

    async def act(self, observation: Observation) -> Action:
        """The next action.

        Raises:
            AgentError: the agent failed by itself; the trial ends and is scored as it stands.
            InfraError: something the agent depends on failed; the trial does not count.
        """
        ...
