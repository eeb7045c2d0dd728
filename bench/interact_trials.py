"""Measures scripted a-Interact trials on PostgreSQL: twelve actions, two of them submissions."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import Any

from bench.figures import Figure, figure
from bench.rates import rate
from wardround.benchmarks.interact.benchmark import InteractBenchmark
from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing, Task
from wardround.models.roles import RoleModels
from wardround.runs.settings import RunSettings
from wardround.runs.trials import OwnTrials, Trials
from wardround.runs.workers import shared

TRIALS = 400

# A question and a change, both undone by a rollback.
TASKS = [
    task
    for task in shipped_tasks().tasks
    if task.id in ("older-emergency-arrivals", "unknown-language")
]

LOOKS = (
    Call("get_schema"),
    Call("get_all_external_knowledge_names"),
    Call("get_knowledge_definition", {"knowledge": "Elderly"}),
    Call("get_column_meaning", {"table": "admissions", "column": "age"}),
    Call("ask", {"question": "What do you mean by older?"}),
    Call("execute", {"sql": "SELECT DISTINCT admission_location FROM admissions"}),
    Call("execute", {"sql": "SELECT language, COUNT(*) FROM admissions GROUP BY language"}),
    Call("execute", {"sql": "UPDATE admissions SET age = age + 1"}),
    Call("execute", {"sql": "SELECT MIN(age), MAX(age) FROM admissions"}),
    Call("execute", {"sql": "DELETE FROM transfers WHERE hadm_id < 20500000"}),
)


class Script:
    """Explores, writes, and submits both golds with a comment that defeats caches."""

    def __init__(self, golds: list[str], number: int) -> None:
        submissions = (Call("submit", {"sql": f"{gold} -- {number}"}) for gold in golds)
        self.plan: list[Action] = [*LOOKS, *submissions]

    async def act(self, observation: Observation) -> Action:
        return self.plan.pop(0)


def measure() -> list[Figure]:
    """Measures trials per second, written and graded as in a run, by one and two processes."""
    jobs = [(TASKS[trial % 2], trial) for trial in range(TRIALS)]
    one, records = asyncio.run(rate(trials(), InteractBenchmark.score, jobs))
    two, _ = asyncio.run(rate(_in_two_processes(), InteractBenchmark.score, jobs))
    actions = sum(record.counts["actions"] for record in records) / len(records)
    passed = sum(record.outcome == "passed" for record in records)
    beside = (
        f"goal: at least 40; in one process: {one:.0f}; {actions:.1f} actions a trial, "
        f"{passed} of {len(records)} passed"
    )
    return [figure("scripted a-Interact trials, 2 processes", two, "1/s", beside)]


@asynccontextmanager
async def trials() -> AsyncIterator[Trials]:
    """Yields scripted trials on the shipped hospital; actions are free, so that twelve fit."""
    options = InteractOptions(mode="a", free=True)
    settings = RunSettings(benchmark="interact", agent="script", options=options)
    benchmark = InteractBenchmark.open(settings.opening(RoleModels({})))
    trials = OwnTrials(benchmark, partial(_script, count()))
    await asyncio.gather(*(trials.play(TASKS[at % 2], -at) for at in range(1, 9)))
    yield trials
    benchmark.close()


@asynccontextmanager
async def _in_two_processes() -> AsyncIterator[Trials]:
    async with shared(trials, 2, 0) as both:
        await asyncio.gather(*(both.play(TASKS[0], -at) for at in range(1, 9)))
        yield both


def _script(numbers: Iterator[int], task: Task[Any, Any]) -> AgentMaker:
    number = next(numbers)
    golds = [request.gold[0] for request in (task.hidden.first, task.hidden.second)]

    def make(briefing: Briefing, context: AgentContext) -> Script:
        return Script(golds, number)

    return make
