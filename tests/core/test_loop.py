"""Endings of the loop, and the party at fault."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import AgentError, InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.loop import Ending, Turns, converse
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger, Noted, Requested, Said, Trajectory

ASKED = Requested("agent", "m", 10, 2, 0.1, 0.5)


@dataclass
class Endless:
    """An environment that never ends by itself."""

    fails: bool = False
    briefing: Briefing = field(default_factory=lambda: Briefing("", ()))

    async def start(self) -> Observation:
        return Observation("go on", "user")

    async def step(self, action: Action) -> Observation:
        if self.fails:
            raise TimeoutError("the database is gone")
        return Observation("go on", "user")

    async def close(self) -> None:
        pass


@dataclass
class Talker:
    """An agent that talks until it fails and records requests in its ledger."""

    ledger: Ledger
    error: BaseException | None = None
    pause: float = 0.0

    async def act(self, observation: Observation) -> Action:
        self.ledger.record(ASKED)
        await asyncio.sleep(self.pause)
        if self.error:
            raise self.error
        return Say("and on")


@dataclass
class Giver:
    """An agent that gives one action, whatever it is."""

    action: Any

    async def act(self, observation: Observation) -> Any:
        return self.action


async def test_action_limit_ends_the_trial_exactly() -> None:
    trajectory = Trajectory()
    ending = await converse(Talker(Ledger()), Turns(Endless(), trajectory, Limits(actions=7)))
    assert ending is Ending.ACTION_LIMIT
    assert len(list(trajectory.actions())) == 7


async def test_the_time_limit_keeps_what_was_recorded() -> None:
    trajectory = Trajectory()
    slow = Talker(Ledger(), pause=30)
    ending = await converse(slow, Turns(Endless(), trajectory, Limits(seconds=0.02)))
    assert ending is Ending.TIME_LIMIT
    assert trajectory.said_by("user") == ["go on"]


async def test_requests_are_recorded_before_their_action() -> None:
    ledger, trajectory = Ledger(), Trajectory()
    await converse(Talker(ledger), Turns(Endless(), trajectory, Limits(actions=2), ledger))
    kinds = [type(event) for event in trajectory.events]
    assert kinds == [Said, Requested, Said, Said, Requested, Said, Said]


@pytest.mark.parametrize(
    "error",
    [
        AgentError("lost"),
        ValueError("a bug"),
        KeyError("x"),
        SystemExit(3),
        asyncio.CancelledError(),
        BaseException("a panic"),
    ],
    ids=repr,
)
async def test_failing_agent_ends_its_trial(error: BaseException) -> None:
    ledger, trajectory = Ledger(), Trajectory()
    agent = Talker(ledger, error)
    ending = await converse(agent, Turns(Endless(), trajectory, Limits(), ledger))
    assert ending is Ending.AGENT_ERROR
    assert trajectory.requests() == [ASKED]
    assert isinstance(trajectory.events[-1], Noted)


@pytest.mark.parametrize("error", [InfraError("the provider is down"), UserError("wrong key")])
async def test_provider_failure_is_not_an_agent_error(error: Exception) -> None:
    with pytest.raises(type(error)):
        await converse(Talker(Ledger(), error), Turns(Endless(), Trajectory(), Limits()))


@pytest.mark.parametrize("action", [Say("x" * 100_001), Call("t", {"sql": b"x"}), "hello"])
async def test_an_action_that_cannot_be_carried_out_is_told_from_none(action: Any) -> None:
    trajectory = Trajectory()
    ending = await converse(Giver(action), Turns(Endless(), trajectory, Limits()))
    assert (ending, trajectory.refused_actions()) == (Ending.AGENT_ERROR, 1)
    silent = Trajectory()
    ending = await converse(Talker(Ledger(), AgentError("no")), Turns(Endless(), silent, Limits()))
    assert (ending, silent.refused_actions()) == (Ending.AGENT_ERROR, 0)


async def test_an_interrupt_is_not_an_agent_error() -> None:
    trial = converse(
        Talker(Ledger(), KeyboardInterrupt()), Turns(Endless(), Trajectory(), Limits())
    )
    with pytest.raises(KeyboardInterrupt):
        await trial


async def test_a_trial_can_be_cancelled_while_its_agent_acts() -> None:
    slow = Talker(Ledger(), pause=30)
    trial = asyncio.create_task(converse(slow, Turns(Endless(), Trajectory(), Limits())))
    await asyncio.sleep(0.01)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial


async def test_a_timeout_in_the_environment_is_not_the_time_limit() -> None:
    with pytest.raises(TimeoutError, match="the database is gone"):
        await converse(Talker(Ledger()), Turns(Endless(fails=True), Trajectory(), Limits()))
