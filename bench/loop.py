"""Measures the loop's overhead: a scripted agent and person, and a tool that does nothing."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from time import perf_counter

from bench.figures import Figure, figure
from wardround.benchmarks.chatqa.environment import ChatEnvironment
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.limits import Limits
from wardround.core.loop import Turns, converse
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox, tool
from wardround.core.trajectory import Trajectory
from wardround.people.person import Utterance

STEPS = 20_000


@dataclass
class Patient:
    """A person who always gives the same reply."""

    async def open(self) -> Utterance:
        return Utterance("hello")

    async def reply(self, said: str) -> Utterance:
        return Utterance("go on")


class Script:
    """An agent that alternates between speaking and a tool call."""

    def __init__(self) -> None:
        self.actions: Iterator[Action] = itertools.cycle(
            [Say("hm"), Call("nothing", {"at": 1, "why": "because"})]
        )

    async def act(self, observation: Observation) -> Action:
        return next(self.actions)


def nothing(at: int, why: str) -> str:
    """Does nothing."""
    return "done"


def measure() -> list[Figure]:
    """Measures milliseconds per step, and of bare `await`s of the same coroutines."""
    step = _milliseconds(_through_the_loop)
    bare = _milliseconds(_bare)
    beside = f"goal: at most 0.2; the same coroutines awaited bare: {bare:.4f}"
    return [figure("a step of the loop, all scripted", step, "ms", beside)]


def _milliseconds(work: Callable[[], Coroutine[None, None, None]]) -> float:
    started = perf_counter()
    asyncio.run(work())
    return 1000 * (perf_counter() - started) / STEPS


async def _through_the_loop() -> None:
    environment = ChatEnvironment(Briefing("", ()), Patient(), Toolbox([tool(nothing)]))
    await converse(Script(), Turns(environment, Trajectory(), Limits(actions=STEPS)))


async def _bare() -> None:
    agent, patient, seen = Script(), Patient(), Observation("", "user")
    for _ in range(STEPS):
        match await agent.act(seen):
            case Say(text):
                await patient.reply(text)
            case Call(_, arguments):
                nothing(**arguments)
