"""Trials: the oracle on the shipped questions, whole golds, and the secrecy of the gold."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.reachable import reachable
from tests.trials import run_trial
from wardround.benchmarks.fhiragentbench.benchmark import FhirAgentBenchmark
from wardround.benchmarks.fhiragentbench.declaration import FhirAgentOptions
from wardround.benchmarks.fhiragentbench.oracle import OracleAgent
from wardround.benchmarks.fhiragentbench.tasks import FhirTask, Gold, Question, shipped_tasks
from wardround.core.actions import Call
from wardround.core.benchmark import TrialContext
from wardround.core.declaration import Opening
from wardround.core.limits import Limits
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.store.builder import build_record
from wardround.models.roles import RoleModels

STRATEGIES = ("single-request", "single-resource", "single-code", "multi-resource", "multi-code")
RIGHT = {"strict": 1.0, "paper": 1.0}
TASKS: list[FhirTask] = list(shipped_tasks().tasks)


def opened(record: Path, **options: Any) -> FhirAgentBenchmark:
    limits = Limits(actions=40, seconds=60.0)
    places = {"made": str(record)}
    return FhirAgentBenchmark.open(
        Opening(FhirAgentOptions(**options), places, limits, RoleModels({}))
    )


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of bare resources with the true ids of the shipped questions."""
    path = tmp_path_factory.mktemp("stubs") / "stubs.fhir"
    build_record(path, _stubs(), validation="record")
    return path


def _stubs() -> Iterator[Resource]:
    seen = set[str]()
    for task in TASKS:
        subject = {"reference": f"Patient/{task.public.patient}"}
        ids = [("Patient", task.public.patient)]
        ids += [(type, id) for type, several in task.hidden.ids.items() for id in several]
        for type, id in ids:
            if id not in seen:
                seen.add(id)
                yield {"resourceType": type, "id": id, "subject": subject}


async def test_gold_is_unreachable_from_the_environment(stubs: Path) -> None:
    task = next(task for task in TASKS if "Observation" in task.hidden.ids)
    with closing(opened(stubs)) as benchmark:
        context = TrialContext(0, Limits(actions=9, seconds=60.0), Trajectory())
        environment = await benchmark.environment(task, context)
        things = list(reachable([environment]))
        await environment.close()
    texts = [thing for thing in things if isinstance(thing, str)]
    assert task.public.request in texts, "the walk finds what is there"
    assert not [t for t in things if isinstance(t, Task | Gold | FhirAgentBenchmark)]
    secrets = [task.hidden.sql, *task.hidden.ids["Observation"]]
    assert not [text for text in texts if any(secret in text for secret in secrets)]


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_the_oracle_passes_questions_of_one_type(stubs: Path, strategy: str) -> None:
    """Bare resources have no references but those to patients, which one type needs."""
    single = [task for task in TASKS if set(task.hidden.ids) <= {"Observation"}]
    assert len(single) == 19
    with closing(opened(stubs, strategy=strategy)) as benchmark:
        for task in single:
            trial = await run_trial(benchmark, benchmark.oracle(task), task, 0)
            assert trial.last.rewards == RIGHT, task.id


@pytest.mark.parametrize(
    ("ids", "query"),
    [
        ({"Observation": ("o1", "o2")}, "Observation?_id=o1,o2&_count=1000"),
        ({"Observation": ("o1",), "Encounter": ("e1",)}, "Patient/p/$everything"),
    ],
)
async def test_the_oracle_requests_the_true_resources_alone_where_one_type_has_them(
    stubs: Path, ids: dict[str, tuple[str, ...]], query: str
) -> None:
    task: FhirTask = Task("t", Question("Which?", "p"), Gold([1], ids))
    with closing(opened(stubs, strategy="single-request")) as benchmark:
        context = TrialContext(0, Limits(actions=9, seconds=60.0), Trajectory())
        environment = await benchmark.environment(task, context)
        agent = OracleAgent(task, environment.briefing)
        called = await agent.act(await environment.start())
        await environment.close()
    assert called == Call("fhir_request_get", {"query_string": query})


def test_golds_of_sql_are_whole(stubs: Path, tmp_path: Path) -> None:
    database, questions = tmp_path / "rows.duckdb", tmp_path / "questions.csv"
    with closing(duckdb.connect(str(database))) as connection:
        connection.execute("CREATE TABLE numbers AS SELECT range AS n FROM range(250)")
    questions.write_text(
        "question_id,question,sql_query,true_answer,patient_fhir_id,true_fhir_ids\n"
        "q1,Which?,SELECT n FROM numbers,[],p,\n"
    )
    with closing(opened(stubs, sql_database=str(database))) as benchmark:
        (task,) = benchmark.load(questions).tasks
    assert len(task.hidden.answer) == 250
