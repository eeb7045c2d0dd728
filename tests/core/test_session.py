"""Trials driven from outside, step by step."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.trials import run_trial
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.capabilities import Validation
from wardround.core.errors import AgentError, InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.record import Outcome
from wardround.core.session import AttemptFaultError, TrialSession
from wardround.core.task import Briefing, Task

TASK: Task[Any, Any] = Task("t", None, "yes")


@dataclass
class Room:
    """An environment that never ends, and fails or waits as it is told."""

    error: Exception | None = None
    pause: float = 0.0
    briefing: Briefing = field(default_factory=lambda: Briefing("say the word", ()))
    closed: int = 0

    async def start(self) -> Observation:
        return Observation("which word?", "user")

    async def step(self, action: Action) -> Observation:
        await asyncio.sleep(self.pause)
        if self.error:
            raise self.error
        return Observation("go on", "user")

    async def close(self) -> None:
        self.closed += 1


async def say(session: TrialSession, *words: str) -> Observation:
    """Opens and plays an attempt."""
    await session.open()
    observation = await session.start()
    for word in words:
        observation = await session.step(Say(word))
    return observation


async def test_a_driver_gets_what_an_agent_gets(
    benchmark_factory: Any, parrot_maker: Callable[[str], AgentMaker]
) -> None:
    validations = [Validation("user_error", "gave it away"), Validation()]
    by_agent = await run_trial(
        benchmark_factory(validations=[*validations]), parrot_maker("yes"), TASK, 3, run_seed=5
    )
    benchmark = benchmark_factory(validations=[*validations])
    async with TrialSession(benchmark, TASK, 3, run_seed=5) as session:
        while not session.is_over:
            assert (await session.open()).rules == "say the word"
            observation = await session.start()
            while not observation.done:
                observation = await session.step(Say("yes"))
            await session.end()
        trial = await session.finish()
    assert (trial.attempts, trial.seed) == (by_agent.attempts, by_agent.seed)
    assert trial.last.outcome is Outcome.PASSED


async def test_the_last_allowed_action_is_done(benchmark_factory: Any) -> None:
    benchmark = benchmark_factory(make_environment=Room)
    async with TrialSession(benchmark, TASK, limits=Limits(actions=2)) as session:
        assert (await say(session, "yes", "no")).done
        with pytest.raises(RuntimeError, match="the attempt is over"):
            await session.step(Say("no"))
        await session.end()
        trial = await session.finish()
    assert trial.last.ending == "action_limit"
    assert trial.last.trajectory.said_by("agent") == ["yes", "no"]


async def test_time_between_steps_counts(benchmark_factory: Any) -> None:
    benchmark = benchmark_factory(make_environment=Room)
    async with TrialSession(benchmark, TASK, limits=Limits(seconds=0.1)) as session:
        assert not (await say(session, "no")).done
        await asyncio.sleep(0.15)
        assert (await session.step(Say("yes"))).done
        await session.end()
        trial = await session.finish()
    assert trial.last.ending == "time_limit"


async def test_a_slow_step_ends_at_the_limit(benchmark_factory: Any) -> None:
    room = Room(pause=30)
    benchmark = benchmark_factory(make_environment=lambda: room)
    async with TrialSession(benchmark, TASK, limits=Limits(seconds=0.1)) as session:
        assert (await say(session, "yes")).done
        await session.end()
    assert room.closed == 1


@pytest.mark.parametrize("error", [InfraError("429"), OSError("disk full"), TimeoutError("gone")])
async def test_a_fault_is_the_outcome_and_is_told_to_the_driver(
    benchmark_factory: Any, error: Exception
) -> None:
    room = Room(error)
    benchmark = benchmark_factory(make_environment=lambda: room)
    async with TrialSession(benchmark, TASK) as session:
        with pytest.raises(AttemptFaultError, match=str(error)):
            await say(session, "yes")
        with pytest.raises(RuntimeError, match="broke off"):
            await session.step(Say("yes"))
        await session.end()
        trial = await session.finish()
    assert (trial.last.outcome, session.is_over) == (Outcome.INFRA_ERROR, True)
    assert str(error) in trial.last.reason
    assert room.closed == 1


async def test_a_wrong_setting_is_raised_and_the_environment_closed(benchmark_factory: Any) -> None:
    room = Room(UserError("no such model"))
    benchmark = benchmark_factory(make_environment=lambda: room)
    with pytest.raises(UserError, match="no such model"):
        async with TrialSession(benchmark, TASK) as session:
            await say(session, "yes")
    assert room.closed == 1


async def test_a_failed_agent_is_scored_as_it_stands(benchmark_factory: Any) -> None:
    benchmark = benchmark_factory(make_environment=Room)
    async with TrialSession(benchmark, TASK) as session:
        await say(session, "yes")
        session.fail(AgentError("lost"))
        await session.end()
        trial = await session.finish()
    assert (trial.last.outcome, trial.last.ending) == (Outcome.PASSED, "agent_error")
    assert trial.last.reason == "lost"


class Hostile(str):
    """A text that ends the process if it is looked at."""

    def encode(self, *args: Any) -> bytes:
        raise SystemExit(3)

    __len__ = encode  # type: ignore[assignment]


@pytest.mark.parametrize("action", [Say("x" * 100_001), Call("t", {"a": b"x"}), Say(Hostile("x"))])
async def test_an_action_that_cannot_be_carried_out_ends_the_attempt(
    benchmark_factory: Any, action: Action
) -> None:
    benchmark = benchmark_factory(make_environment=Room)
    async with TrialSession(benchmark, TASK) as session:
        await session.open()
        await session.start()
        assert (await session.step(action)).done
        await session.end()
        assert session.played.last.ending == "agent_error"


async def test_an_attempt_that_its_driver_stops_counts(benchmark_factory: Any) -> None:
    benchmark = benchmark_factory(make_environment=Room)
    async with TrialSession(benchmark, TASK) as session:
        await say(session, "yes")
        await session.end()
        trial = await session.finish()
    assert (trial.last.outcome, trial.last.ending) == (Outcome.PASSED, "stopped")


async def test_a_session_that_is_left_closes_its_environment(benchmark_factory: Any) -> None:
    room = Room()
    benchmark = benchmark_factory(make_environment=lambda: room)
    async with TrialSession(benchmark, TASK) as session:
        await say(session, "yes")
    assert room.closed == 1
    assert session.played.attempts == ()


async def test_calls_in_the_wrong_order_are_refused(benchmark_factory: Any) -> None:
    async with TrialSession(benchmark_factory(), TASK) as session:
        for call in (session.start, session.end):
            with pytest.raises(RuntimeError, match="no attempt is open"):
                await call()
        await say(session, "yes")
        with pytest.raises(RuntimeError, match="end the attempt first"):
            await session.open()
        await session.end()
        with pytest.raises(RuntimeError, match="the trial is over"):
            await session.open()
