"""The cost of a step added by running the agent in a process of its own."""

import asyncio
from time import perf_counter

from bench.figures import Figure, figure
from wardround.agents.isolated.agents import IsolatedAgents
from wardround.agents.isolated.program import AgentProgram
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger
from wardround.models.client import LanguageModel

STEPS = 5_000
SEEN = Observation("What is known of patient 17? " * 20, "tool")


class Echo:
    """Replies with the length of the observation."""

    async def act(self, observation: Observation) -> Action:
        return Say(str(len(observation.text)))


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Makes echo agents; ignores the model."""
    return lambda briefing, context: Echo()


def measure() -> list[Figure]:
    """Measures milliseconds per step of an agent in its own process and in this one."""
    in_process, isolated = asyncio.run(_both())
    beside = f"goal: at most 1 more than in the same process: {in_process:.4f}"
    return [figure("a step of an agent in a process of its own", isolated, "ms", beside)]


async def _both() -> tuple[float, float]:
    agents = IsolatedAgents(AgentProgram(f"{__name__}:open_agents", {}), None)
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
