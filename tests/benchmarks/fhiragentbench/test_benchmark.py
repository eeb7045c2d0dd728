"""Trials of FHIR-AgentBench: the oracle, strategies, limits, and the secrecy of the gold."""

from contextlib import closing
from typing import Any

import pytest

from tests.benchmarks.fhiragentbench.conftest import Made, Opener
from tests.reachable import reachable
from wardround.benchmarks.fhiragentbench.benchmark import FhirAgentBenchmark
from wardround.benchmarks.fhiragentbench.tasks import FhirTask, Gold, shipped_tasks
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import TrialContext
from wardround.core.limits import Limits
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import run_trial

TASKS: dict[str, FhirTask] = {task.id: task for task in shipped_tasks().tasks}
STRATEGIES = ("single-request", "single-resource", "single-code", "multi-resource", "multi-code")
RIGHT = {"strict": 1.0, "paper": 1.0}
BY_PATIENT = "get_resources_by_patient_fhir_id"


class Scripted:
    """Takes prepared actions and keeps what it observes."""

    def __init__(self, *actions: Action) -> None:
        self.actions = list(actions)
        self.texts: list[str] = []

    async def act(self, observation: Observation) -> Action:
        self.texts.append(observation.text)
        return self.actions.pop(0)


async def played(benchmark: FhirAgentBenchmark, task: FhirTask, *actions: Action) -> Any:
    agent = Scripted(*actions)
    with closing(benchmark):
        trial = await run_trial(benchmark, lambda briefing, context: agent, task, 0)
    return trial, agent


def stays(task: FhirTask) -> Call:
    return Call(BY_PATIENT, {"resource_type": "Encounter", "patient_fhir_id": task.public.patient})


def test_the_suite_has_forty_questions_without_defects() -> None:
    suite = shipped_tasks()
    assert len(suite.tasks) == 40
    assert not suite.defects


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_the_oracle_passes_every_question(open_benchmark: Opener, strategy: str) -> None:
    tasks = TASKS.values() if strategy == "multi-code" else list(TASKS.values())[::3]
    with closing(open_benchmark(strategy=strategy)) as benchmark:
        for task in tasks:
            trial = await run_trial(benchmark, benchmark.oracle(task), task, 0)
            assert trial.last.rewards == RIGHT, task.id


async def test_sql_gives_the_answers_of_the_shipped_file(
    open_benchmark: Opener, made: Made
) -> None:
    with closing(open_benchmark(sql_database=str(made.hospital))) as benchmark:
        answers = {task.id: benchmark._answer(task) for task in TASKS.values()}
    assert [id for id, answer in answers.items() if answer.file_agrees is not True] == []


async def test_code_sees_what_was_retrieved(open_benchmark: Opener) -> None:
    task = TASKS["stays-1"]
    code = "answer = sum('partOf' not in each for each in retrieved_resources['Encounter'])"
    program = Call("execute_python_code", {"code": code})
    trial, agent = await played(open_benchmark(), task, stays(task), program, Say("[4]"))
    assert agent.texts[2] == '{"answer":"4"}'
    assert '"meta"' not in agent.texts[1]
    assert trial.last.rewards == RIGHT


async def test_a_right_guess_without_retrieval_is_not_strict(open_benchmark: Opener) -> None:
    trial, _ = await played(open_benchmark(), TASKS["stays-1"], Say("[4]"))
    assert trial.last.rewards == {"strict": 0.0, "paper": 1.0}


async def test_a_single_strategy_has_one_retrieval(open_benchmark: Opener) -> None:
    task = TASKS["stays-1"]
    benchmark = open_benchmark(strategy="single-resource")
    _, agent = await played(benchmark, task, stays(task), stays(task), Say("[4]"))
    assert "it is used up" in agent.texts[2]


async def test_iterations_are_limited(open_benchmark: Opener) -> None:
    task = TASKS["stays-1"]
    trial, _ = await played(open_benchmark(iterations=2), task, stays(task), stays(task))
    assert trial.last.rewards == {"strict": 0.0, "paper": 0.0}
    assert trial.last.measures["iteration_limit"]


@pytest.mark.parametrize(
    ("tool", "arguments", "fault"),
    [
        (BY_PATIENT, {"resource_type": "Flag", "patient_fhir_id": "x"}, "is no type"),
        (
            "get_resources_by_resource_id",
            {"resource_type": "Patient", "resource_id": "nobody"},
            "nobody",
        ),
    ],
)
async def test_refused_calls_say_why(
    open_benchmark: Opener, tool: str, arguments: dict[str, str], fault: str
) -> None:
    call = Call(tool, arguments)
    _, agent = await played(open_benchmark(), TASKS["sex-1"], call, Say("[1]"))
    assert agent.texts[1].startswith("Error:")
    assert fault in agent.texts[1]


async def test_a_request_of_the_agent_may_be_wrong(open_benchmark: Opener) -> None:
    for query, fault in {
        "Encounter?nonsense=1": "nonsense",
        "Flag?patient=x": "is no type",
        "../etc": "is no type",
    }.items():
        call = Call("fhir_request_get", {"query_string": query})
        benchmark = open_benchmark(strategy="single-request")
        _, agent = await played(benchmark, TASKS["sex-1"], call, Say("[1]"))
        assert fault in agent.texts[1]


async def test_gold_is_unreachable_from_agent_and_tools(open_benchmark: Opener) -> None:
    task = TASKS["procedures-1"]
    with closing(open_benchmark()) as benchmark:
        context = TrialContext(0, Limits(actions=9, seconds=60.0), Trajectory())
        environment = await benchmark.environment(task, context)
        things = list(reachable([environment]))
        await environment.close()
    texts = [thing for thing in things if isinstance(thing, str)]
    assert task.public.patient in texts, "the walk finds what is there"
    assert not [t for t in things if isinstance(t, Task | Gold | FhirAgentBenchmark)]
    secrets = [task.hidden.sql, *(id for ids in task.hidden.resources.values() for id in ids)]
    assert not [text for text in texts if any(secret in text for secret in secrets)]
