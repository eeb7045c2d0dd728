"""The protocols of environments and agents that the loop drives."""

from typing import Protocol

from wardround.core.actions import Action, Observation
from wardround.core.task import Briefing


class Environment(Protocol):
    """A running task: its tools, people, database, budget and end.

    An exception from any method counts as a fault of the environment, never of the agent.
    """

    @property
    def briefing(self) -> Briefing:
        """The agent's instructions, tools and facts."""
        ...

    async def start(self) -> Observation:
        """Starts the task and returns the first observation."""
        ...

    async def step(self, action: Action) -> Observation:
        """Carries out an action and returns its observation."""
        ...

    async def close(self) -> None:
        """Releases the trial's resources; called once, however the trial ended."""
        ...


class Agent(Protocol):
    """Turns observations into actions."""

    async def act(self, observation: Observation) -> Action:
        """Returns the next action.

        Raises:
            AgentError: the agent failed; the trial ends and is scored as it stands.
            InfraError: a service that the agent needs failed; the trial does not count.
        """
        ...
