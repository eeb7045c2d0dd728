"""The one loop: an agent acts in an environment until it is over or a limit is reached."""

import asyncio
from enum import StrEnum

from wardround.core.actions import Action, Observation
from wardround.core.clock import time_limit
from wardround.core.environment import Agent, Environment
from wardround.core.errors import AgentError, InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.serialization import checked
from wardround.core.trajectory import Ledger, Trajectory


class Ending(StrEnum):
    """Why the loop stopped."""

    FINISHED = "finished"
    ACTION_LIMIT = "action_limit"
    TIME_LIMIT = "time_limit"
    AGENT_ERROR = "agent_error"


async def converse(
    agent: Agent,
    environment: Environment,
    trajectory: Trajectory,
    limits: Limits,
    ledger: Ledger | None = None,
) -> Ending:
    """Runs the loop and records what happens.

    `ledger` is where the agent writes its own model requests; they are moved to the trajectory
    after each of its actions, so that the agent never holds the trajectory itself.

    Returns:
        Why it stopped. Whatever was recorded until then can be scored.

    Raises:
        InfraError: a model provider or server failed.
        UserError: the agent cannot work as it was set, with a key that is wrong for instance.
        Exception: whatever the environment raised.
    """
    try:
        async with time_limit(limits.seconds) as clock:
            return await _turns(agent, environment, trajectory, limits.actions, ledger or Ledger())
    except TimeoutError:
        if not clock.expired():
            raise
        return Ending.TIME_LIMIT


async def _turns(
    agent: Agent, environment: Environment, trajectory: Trajectory, actions: int, ledger: Ledger
) -> Ending:
    observation = await environment.start()
    trajectory.observed(observation, after=None)
    for _ in range(actions):
        if observation.done:
            return Ending.FINISHED
        try:
            action = await _act(agent, observation, trajectory, ledger)
        except AgentError as error:
            trajectory.failed(str(error))
            return Ending.AGENT_ERROR
        trajectory.acted(action)
        observation = await environment.step(action)
        trajectory.observed(observation, after=action)
    return Ending.FINISHED if observation.done else Ending.ACTION_LIMIT


async def _act(
    agent: Agent, observation: Observation, trajectory: Trajectory, ledger: Ledger
) -> Action:
    """The agent's action; a bug in the agent is the agent's failure, not the run's."""
    try:
        return checked(await agent.act(observation))
    except (AgentError, InfraError, UserError, GeneratorExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        if _is_cancelled():
            raise
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    finally:
        trajectory.events.extend(ledger.drain())


def _is_cancelled() -> bool:
    """Whether somebody ends this trial; an agent may raise the same by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
