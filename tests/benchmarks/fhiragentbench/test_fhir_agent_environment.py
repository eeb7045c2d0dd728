"""Strategies, retrieval by type and patient, code, and scores of a small record."""

import pytest

from wardround.benchmarks.fhiragentbench.environment import FhirEnvironment
from wardround.benchmarks.fhiragentbench.scorer import PROGRAM, retrieved_ids, score
from wardround.benchmarks.fhiragentbench.tasks import FhirTask, Gold, Question
from wardround.core.actions import Call, Say
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import State, Verdict
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record

RESOURCES: list[Resource] = [
    {"resourceType": "Patient", "id": "p", "gender": "female", "text": {"status": "empty"}},
    {"resourceType": "Patient", "id": "q"},
    {"resourceType": "Location", "id": "ward", "name": "Ward"},
    {
        "resourceType": "Encounter",
        "id": "e",
        "status": "finished",
        "class": {"code": "IMP"},
        "subject": {"reference": "Patient/p"},
        "location": [{"location": {"reference": "Location/ward"}}],
    },
]
TASK: FhirTask = Task("t", Question("Sex?", "p"), Gold([["female"]], {"Patient": ("p",)}))


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("fhir") / "small.fhir"
    build_record(path, RESOURCES, validation="record")
    return Record.open(path)


@pytest.fixture
def trajectory() -> Trajectory:
    return Trajectory()


@pytest.fixture
def several(record: Record, trajectory: Trajectory) -> FhirEnvironment:
    return FhirEnvironment("", "", record.workspace(), "multi-code", 4, trajectory)


async def test_resources_of_a_patient(several: FhirEnvironment, trajectory: Trajectory) -> None:
    tool = "get_resources_by_patient_fhir_id"
    found = await several.step(Call(tool, {"resource_type": "Location", "patient_fhir_id": "p"}))
    assert '"ward"' in found.text
    wrong = await several.step(Call(tool, {"resource_type": "Elephant", "patient_fhir_id": "p"}))
    assert "There is no type 'Elephant'" in wrong.text
    await several.step(Say("Answer: 1"))
    assert retrieved_ids(trajectory) == {"Location": ["ward"]}


async def test_code_gets_what_was_retrieved(several: FhirEnvironment) -> None:
    await several.step(Call("get_all_resources_by_patient_fhir_id", {"patient_fhir_id": "p"}))
    code = "answer = sorted((t, len(r)) for t, r in retrieved_resources.items())"
    ran = await several.step(Call("execute_python_code", {"code": code}))
    assert "('Encounter', 1), ('Location', 1), ('Patient', 1)" in ran.text
    used = [await several.step(Call("execute_python_code", {"code": "1"})) for _ in range(3)]
    assert used[-1].source == "environment"


async def test_a_single_turn_retrieves_once(record: Record, trajectory: Trajectory) -> None:
    environment = FhirEnvironment("", "", record.workspace(), "single-request", 9, trajectory)
    request = Call("fhir_request_get", {"query_string": "Patient?_id=p,q"})
    assert '"female"' in (await environment.step(request)).text
    assert "once only" in (await environment.step(request)).text
    assert "meta" not in (await environment.start()).text


@pytest.mark.parametrize(
    ("retrieved", "state", "strict", "paper"),
    [
        ({"Patient": ["p", "q"]}, "passed", True, True),
        ({"Patient": ["q"]}, "passed", False, True),
        ({"Patient": ["p"]}, "failed", False, False),
        ({}, "passed", False, True),
    ],
)
def test_a_score(retrieved: dict[str, list[str]], state: State, strict: bool, paper: bool) -> None:
    from wardround.benchmarks.fhiragentbench.environment import RETRIEVED
    from wardround.core.trajectory import Noted

    trajectory = Trajectory([Noted(RETRIEVED, {"ids": retrieved})])
    found = score(TASK, trajectory, [Verdict("correct", PROGRAM, state)])
    assert found.passed == {"strict": strict, "paper": paper}
