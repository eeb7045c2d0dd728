"""Measures scripted EHR-ChatQA trials: six user turns and eight tool calls with real SQL."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bench.figures import Figure, figure
from bench.rates import rate
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic, ChatTask
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.environment import Agent
from wardround.core.task import Task
from wardround.models.roles import RoleModels
from wardround.runs.settings import RunSettings
from wardround.runs.trials import OwnTrials, Trials
from wardround.runs.workers import shared

TRIALS = 400
SQL = """
SELECT COUNT(DISTINCT ha.patientid) FROM hospitaladmissions ha
JOIN admissiondiagnoses ad ON ha.admissionid = ad.admissionid
JOIN diagnosiscodes dc ON ad.icdcode = dc.icdcode AND ad.codeversion = dc.codeversion
WHERE dc.description LIKE '%heart failure%' AND ha.age > 50
"""
CALLS = (
    Call("table_search", {}),
    Call("column_search", {"table": "hospitaladmissions"}),
    Call("column_search", {"table": "diagnosiscodes"}),
    Call("value_substring_search", _heart := {
        "table": "diagnosiscodes", "column": "description", "value": "heart failure"}),
    Call("value_similarity_search", _heart),
    Call("sql_execute", {"query": SQL}),
    Call("sql_execute", {"query": SQL.replace("50", "60")}),
    Call("sql_execute", {"query": SQL.replace("50", "70")}),
)  # fmt: skip
INSTRUCTION = (
    "Your goal is to find the number of patients admitted to the hospital. Specifically, you "
    "want to know how many patients were admitted. You want patients who are older than 50. You "
    "want patients with heart failure. You want patients who were admitted this year."
)

TASK: ChatTask = Task(
    "bench",
    ChatPublic("incre", "mimic_iv_star"),
    ChatHidden(INSTRUCTION, SQL, ((7,),)),
    {"flow": "incre"},
)


class Script:
    """Makes the calls in order, and a reply after some of them."""

    def __init__(self) -> None:
        plan: list[Action] = []
        for number, call in enumerate(CALLS):
            plan.append(call)
            if number in (1, 2, 4, 5, 6, 7):
                plan.append(Say("There were 7 patients. <answer>7</answer>"))
        self.plan = plan

    async def act(self, observation: Observation) -> Action:
        return self.plan.pop(0) if self.plan else Say("There were 7 patients.")


def measure() -> list[Figure]:
    """Measures trials per second, written and graded as in a run, by one and two processes."""
    jobs = [(TASK, trial) for trial in range(TRIALS)]
    one, records = asyncio.run(rate(trials(), ChatBenchmark.score, jobs))
    two, _ = asyncio.run(rate(_in_two_processes(), ChatBenchmark.score, jobs))
    turns = sum(r.counts["user_turns"] for r in records) / len(records)
    calls = sum(r.counts["tool_calls"] for r in records) / len(records)
    beside = (
        f"goal: at least 100; in one process: {one:.0f}; "
        f"{turns:.1f} user turns and {calls:.1f} calls a trial"
    )
    return [figure("scripted EHR-ChatQA trials, 2 processes", two, "1/s", beside)]


@asynccontextmanager
async def trials(script: Callable[[], Agent] = Script) -> AsyncIterator[Trials]:
    """Yields scripted trials on the shipped database with loaded indexes."""
    benchmark = ChatBenchmark.open(
        RunSettings(benchmark="chatqa", agent="script").opening(RoleModels({}))
    )
    trials = OwnTrials(benchmark, lambda task: lambda briefing, context: script())
    await trials.play(TASK, -1)
    yield trials
    benchmark.close()


@asynccontextmanager
async def _in_two_processes() -> AsyncIterator[Trials]:
    async with shared(trials, 2, 0) as both:
        await asyncio.gather(both.play(TASK, -1), both.play(TASK, -2))
        yield both
