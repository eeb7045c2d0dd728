"""The one loop: an agent acts in an environment until the trial ends or reaches a limit."""

import asyncio
from enum import StrEnum

from wardround.core.actions import Action, Observation
from wardround.core.clock import time_limit
from wardround.core.environment import Agent, Environment
from wardround.core.errors import ActionError, AgentError, InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.serialization import checked_action
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
    """Runs the loop and records its events.

    The agent writes its model requests to `ledger`. They move to the trajectory after each action,
    so that the agent has no access to the trajectory itself.

    Returns:
        Why the loop stopped; the events recorded until then can be scored.

    Raises:
        InfraError: a model provider or server failed.
        UserError: the agent cannot work with its settings, such as a wrong API key.
        Exception: any exception of the environment.
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
            trajectory.failed(str(error), acted=isinstance(error, ActionError))
            return Ending.AGENT_ERROR
        trajectory.acted(action)
        observation = await environment.step(action)
        trajectory.observed(observation, after=action)
    return Ending.FINISHED if observation.done else Ending.ACTION_LIMIT


async def _act(
    agent: Agent, observation: Observation, trajectory: Trajectory, ledger: Ledger
) -> Action:
    """The agent's next action; its own exceptions become AgentError, so that the run goes on."""
    try:
        return checked_action(await agent.act(observation))
    except (AgentError, InfraError, UserError, GeneratorExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        if _is_cancelled():
            raise
        raise AgentError(f"the agent raised {type(error).__name__}: {error}") from error
    finally:
        trajectory.events.extend(ledger.drain())


def _is_cancelled() -> bool:
    """True if the trial's asyncio task is being cancelled; agents may raise CancelledError too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
