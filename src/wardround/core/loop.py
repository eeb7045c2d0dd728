"""The one loop: an agent acts in an environment until the trial ends or reaches a limit."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from enum import StrEnum

from wardround.core.actions import Action, Observation
from wardround.core.clock import TrialClock
from wardround.core.environment import Agent, Environment
from wardround.core.errors import ActionError, AgentError, InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.serialization import checked_action
from wardround.core.trajectory import Ledger, Trajectory


class Ending(StrEnum):
    """The reason why the loop stopped."""

    FINISHED = "finished"
    ACTION_LIMIT = "action_limit"
    TIME_LIMIT = "time_limit"
    AGENT_ERROR = "agent_error"
    STOPPED = "stopped"  # by the driver


class Turns:
    """The turns of one attempt in an environment: events are recorded, and limits kept.

    `start` comes first, then `step` with each action until an observation is done.

    Args:
        environment: the environment; it stays open.
        trajectory: collects the events.
        limits: the most actions and seconds.
        ledger: the agent's model requests. They move to the trajectory before its next action, so
            that the agent has no access to the trajectory itself.

    Attributes:
        ending: why the turns are over; None as long as they go on.
        clock: the remaining time, which also runs between turns.
    """

    def __init__(
        self,
        environment: Environment,
        trajectory: Trajectory,
        limits: Limits,
        ledger: Ledger | None = None,
    ) -> None:
        self.ending: Ending | None = None
        self.clock = TrialClock(limits.seconds)
        self._environment = environment
        self._trajectory = trajectory
        self._ledger = ledger or Ledger()
        self._actions_left = limits.actions

    async def start(self) -> Observation:
        """Starts the task; returns the first observation, which is done if no action is allowed.

        Raises:
            Exception: any exception of the environment.
        """
        return await self._observed(self._environment.start(), None)

    async def step(self, action: Action) -> Observation:
        """Carries out an action; the observation is done if it was the last one.

        An action that cannot be carried out ends the turns.

        Raises:
            Exception: any exception of the environment.
        """
        self.record_requests()
        try:
            with _AgentFaults():
                action = checked_action(action)
        except AgentError as error:
            return self.fail(error)
        self._trajectory.acted(action)
        self._actions_left -= 1
        return await self._observed(self._environment.step(action), action)

    def fail(self, error: AgentError) -> Observation:
        """Ends the turns by a failure of the agent, with what was recorded until then."""
        self.record_requests()
        self._trajectory.failed(str(error), acted=isinstance(error, ActionError))
        return self.end(Ending.AGENT_ERROR)

    def end(self, ending: Ending) -> Observation:
        """Ends the turns; returns an observation without words, which nobody records."""
        self.ending = ending
        return Observation("", "environment", done=True)

    def record_requests(self) -> None:
        """Moves the agent's model requests to the trajectory."""
        self._trajectory.events.extend(self._ledger.drain())

    async def _observed(self, awaited: Awaitable[Observation], after: Action | None) -> Observation:
        try:
            observation = await self.clock.limited(awaited)
        except TimeoutError:
            if not self.clock.expired:
                raise
            return self.end(Ending.TIME_LIMIT)
        self._trajectory.observed(observation, after=after)
        if observation.done:
            self.ending = Ending.FINISHED
        elif not self._actions_left:
            self.ending = Ending.ACTION_LIMIT
        is_last = self.ending is Ending.ACTION_LIMIT
        return replace(observation, done=True) if is_last else observation


async def converse(agent: Agent, turns: Turns) -> Ending:
    """Lets an agent act until the turns are over; the time of its own work is counted.

    Returns:
        Why the turns are over; the events recorded until then can be scored.

    Raises:
        InfraError: a model provider or server failed.
        UserError: the agent cannot work with its settings, such as a wrong API key.
        Exception: any exception of the environment.
    """
    try:
        async with turns.clock.running():
            return await _acted(agent, turns)
    except TimeoutError:
        if not turns.clock.expired:
            raise
        turns.end(Ending.TIME_LIMIT)
        return Ending.TIME_LIMIT
    finally:
        turns.record_requests()


async def _acted(agent: Agent, turns: Turns) -> Ending:
    observation = await turns.start()
    while (ending := turns.ending) is None:
        try:
            with _AgentFaults():
                action = await agent.act(observation)
        except AgentError as error:
            turns.fail(error)
        else:
            observation = await turns.step(action)
    return ending


class _AgentFaults:
    """Makes the agent's own exceptions an AgentError, so that the run goes on."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        passed_on = (AgentError, InfraError, UserError, GeneratorExit, KeyboardInterrupt)
        if error is None or isinstance(error, passed_on) or _is_cancelled():
            return
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error


def _is_cancelled() -> bool:
    """True if the trial's asyncio task is being cancelled; agents may raise CancelledError too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
