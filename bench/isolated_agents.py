"""The cost of running an agent in a confined process of its own: a start, and a step."""

import asyncio
import subprocess
from statistics import median
from time import perf_counter

from bench.figures import Figure, figure
from wardround.agents.isolated.agents import IsolatedAgents
from wardround.agents.isolated.launch import launch
from wardround.agents.isolated.program import AgentProgram
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger
from wardround.models.client import LanguageModel

STEPS, STARTS = 5_000, 25
SEEN = Observation("What is known of patient 17? " * 20, "tool")


class Echo:
    """Replies with the length of the observation."""

    async def act(self, observation: Observation) -> Action:
        return Say(str(len(observation.text)))


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Makes echo agents; ignores the model."""
    return lambda briefing, context: Echo()


def measure() -> list[Figure]:
    """Measures milliseconds per step and per start, confined and not, side by side."""
    in_process, isolated = asyncio.run(_both(unconfined=True))
    _, confined = asyncio.run(_both(unconfined=False))
    beside = f"goal: at most 1 more than in the same process: {in_process:.4f}"
    more = f"goal: at most 1 more than unconfined: {isolated:.4f}"
    return [
        figure("a step of an agent in a process of its own", isolated, "ms", beside),
        figure("a step of a confined agent", confined, "ms", more),
        figure("added to a start by confinement", _added(), "ms", "goal: at most 30"),
    ]


def _added() -> float:
    """The median difference of starts in pairs: the first confined, the second not."""
    pairs = ((_start(unconfined=False), _start(unconfined=True)) for _ in range(STARTS))
    return median(confined - unconfined for confined, unconfined in pairs)


def _start(*, unconfined: bool) -> float:
    """Milliseconds to prepare, start and end a command that does nothing."""
    started = perf_counter()
    with launch(AgentProgram("exec:true", {}, unconfined=unconfined)) as start:
        subprocess.run(start.command, env=start.environment, start_new_session=True, check=True)
    return 1000 * (perf_counter() - started)


async def _both(*, unconfined: bool) -> tuple[float, float]:
    program = AgentProgram(f"{__name__}:open_agents", {}, unconfined=unconfined)
    agents = IsolatedAgents(program, None)
    isolated = agents(Briefing("", ()), AgentContext(0, Ledger()))
    await isolated.act(SEEN)  # starts the process
    try:
        return await _milliseconds(Echo()), await _milliseconds(isolated)
    finally:
        await agents.close()


async def _milliseconds(agent: Agent) -> float:
    started = perf_counter()
    for _ in range(STEPS):
        await agent.act(SEEN)
    return 1000 * (perf_counter() - started) / STEPS
