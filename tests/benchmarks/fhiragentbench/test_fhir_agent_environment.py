"""Strategies, retrieval by type and patient, code, and scores of a small record."""

from ast import literal_eval
from contextlib import closing
from typing import get_args

import pytest

from tests.cases import for_each
from tests.ehr.fhir.hapi import HapiServer
from wardround.benchmarks.fhiragentbench import resource_scores, retriever
from wardround.benchmarks.fhiragentbench.declaration import Strategy
from wardround.benchmarks.fhiragentbench.environment import ENDED, FhirEnvironment
from wardround.benchmarks.fhiragentbench.scorer import (
    PROGRAM,
    answer_text,
    retrieved_ids,
    score,
)
from wardround.benchmarks.fhiragentbench.tasks import FhirTask, Gold, Question
from wardround.core.actions import Call, Say
from wardround.core.errors import ToolError
from wardround.core.task import Task
from wardround.core.tools import error_text
from wardround.core.trajectory import Event, Noted, Requested, Returned, Trajectory
from wardround.core.verdict import State, Verdict
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record

RESOURCES: list[Resource] = [
    {"resourceType": "Patient", "id": "p", "gender": "female", "text": {"status": "empty"}},
    {"resourceType": "Patient", "id": "q"},
    {
        "resourceType": "Flag",
        "id": "f",
        "status": "active",
        "code": {"text": "falls"},
        "subject": {"reference": "Patient/p"},
    },
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
DONE = Say("The final answer is: 1")
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


BY_PATIENT = "get_resources_by_patient_fhir_id"
BY_ID = "get_resources_by_resource_id"


def of_patient(type: str, patient: str = "p") -> Call:
    return Call(BY_PATIENT, {"resource_type": type, "patient_fhir_id": patient})


def request(query: str) -> Call:
    return Call("fhir_request_get", {"query_string": query})


def code(text: str) -> Call:
    return Call("execute_python_code", {"code": text, "timeout": 30})


def environment(record: Record, trajectory: Trajectory, strategy: str) -> FhirEnvironment:
    return FhirEnvironment("", "", record.workspace(), strategy, 4, trajectory)


async def texts(environment: FhirEnvironment, *actions: Call | Say) -> list[str]:
    return [(await environment.step(action)).text for action in actions]


async def test_resources_of_a_patient(several: FhirEnvironment, trajectory: Trajectory) -> None:
    found, wrong, nothing, _ = await texts(
        several, of_patient("Location"), of_patient("Elephant"), of_patient("Flag", "q"), DONE
    )
    assert found == "retrieved_fhir_resources['Location'] (1 items)"
    assert literal_eval(wrong).keys() == {"error"}
    assert nothing == "{}"
    assert retrieved_ids(trajectory) == {"Location": ["ward"]}
    assert answer_text(trajectory) == DONE.text


async def test_agents_without_code_read_python_text(record: Record, trajectory: Trajectory) -> None:
    made = environment(record, trajectory, "multi-resource")
    by_id = Call(BY_ID, {"resource_type": "Patient", "resource_id": "p"})
    every = Call(BY_ID, {"resource_type": "Patient", "resource_id": ""})
    found, both = map(literal_eval, await texts(made, by_id, every))
    assert found == {"Patient": [{"resourceType": "Patient", "id": "p", "gender": "female"}]}
    assert [each["id"] for each in both["Patient"]] == ["p", "q"]


async def test_tools_of_strategies(record: Record, trajectory: Trajectory) -> None:
    names = {
        strategy: [tool.name for tool in environment(record, trajectory, strategy).briefing.tools]
        for strategy in get_args(Strategy)
    }
    assert names == {
        "single-request": ["fhir_request_get"],
        "single-resource": [BY_PATIENT],
        "single-code": [BY_PATIENT, "execute_python_code"],
        "multi-resource": [BY_PATIENT, BY_ID],
        "multi-code": [BY_PATIENT, BY_ID, "execute_python_code"],
    }


async def test_code_gets_what_is_kept(several: FhirEnvironment) -> None:
    await texts(several, of_patient("Encounter"), of_patient("Location"))
    sizes = "print(7)\nanswer = sorted((t, len(r)) for t, r in retrieved_resources.items())"
    ran, unset = await texts(several, code(sizes), code("answer"))
    assert ran == "{'answer': [('Encounter', 1), ('Location', 1)]}"
    assert literal_eval(unset).keys() == {"error"}


async def test_later_retrievals_replace_those_of_the_same_type(
    several: FhirEnvironment, trajectory: Trajectory
) -> None:
    await texts(several, of_patient("Patient", "p"), of_patient("Encounter"))
    await texts(several, of_patient("Patient", "q"), DONE)
    assert retrieved_ids(trajectory) == {"Patient": ["q"], "Encounter": ["e"]}


async def test_a_request_gets_one_page_with_text_and_meta(
    record: Record, trajectory: Trajectory
) -> None:
    made = environment(record, trajectory, "single-request")
    page, read = map(
        literal_eval, await texts(made, request("Patient?_id=p,q&_count=1"), request("Patient/p"))
    )
    assert [each["id"] for each in page["Patient"]] == ["p"]
    assert {"text", "meta"} <= page["Patient"][0].keys()
    assert read == {}
    await texts(made, DONE)
    assert retrieved_ids(trajectory) == {"Patient": ["p"]}


def asked() -> Requested:
    return Requested("agent", "m", 1, 1, None, 0.0)


async def test_a_single_turn_retrieves_in_one_message(
    record: Record, trajectory: Trajectory
) -> None:
    made = environment(record, trajectory, "single-code")
    trajectory.record(asked())
    first, second = await texts(made, of_patient("Patient"), of_patient("Encounter"))
    assert "(1 items)" in first
    assert "(1 items)" in second
    trajectory.record(asked())
    late, ran, again = await texts(made, of_patient("Location"), code("answer=1"), code("answer=2"))
    assert "in one message only" in late
    assert ran == "{'answer': 1}"
    assert "once only" in again
    trajectory.record(asked())
    await texts(made, Say("It is one."))
    assert (answer_text(trajectory), len(retrieved_ids(trajectory))) == ("It is one.", 2)


async def test_a_single_turn_without_a_call_has_the_published_answer(
    record: Record, trajectory: Trajectory
) -> None:
    await texts(environment(record, trajectory, "single-resource"), Say("It is one."))
    assert answer_text(trajectory) == "No tool calls found in the response"


async def test_words_without_a_final_answer_go_on(
    several: FhirEnvironment, trajectory: Trajectory
) -> None:
    [words] = await texts(several, Say("I think it is one."))
    assert words
    ended = await several.step(Say("So THE FINAL ANSWER IS: 1"))
    assert ended.done
    assert answer_text(trajectory) == "So THE FINAL ANSWER IS: 1"


@pytest.mark.parametrize("several_calls", [True, False])
async def test_the_limit_counts_messages(
    several: FhirEnvironment, trajectory: Trajectory, several_calls: bool
) -> None:
    for _ in range(4):
        trajectory.record(asked())
        await texts(several, *[of_patient("Patient")] * (3 if several_calls else 1))
    trajectory.record(asked())
    assert (await several.step(DONE)).done
    assert answer_text(trajectory) == "No final answer reached within iteration limit."


async def test_words_at_the_limit_end_the_trial(
    several: FhirEnvironment, trajectory: Trajectory
) -> None:
    ends = [(await several.step(Say("Well."))).done for _ in range(4)]
    assert ends == [False, False, False, True]
    assert answer_text(trajectory) == "No final answer reached within iteration limit."


async def test_a_retrieval_has_a_limit(
    record: Record, trajectory: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retriever, "MOST", 1)
    made = environment(record, trajectory, "multi-resource")
    [found] = await texts(made, of_patient("Patient", ""))
    assert "More than 1 resources" in found
    await texts(made, DONE)
    assert retrieved_ids(trajectory) == {}


async def test_all_pages_of_a_server_like_hapi_are_read(
    record: Record, trajectory: Trajectory
) -> None:
    with closing(record.workspace()) as workspace:
        remote = HapiServer(workspace, page=1).remote()
        made = FhirEnvironment("", "", remote, "multi-resource", 9, trajectory)
        [found] = await texts(made, of_patient("Patient", ""))
        assert [each["id"] for each in literal_eval(found)["Patient"]] == ["p", "q"]


@for_each(
    [
        ({}, {}, 1.0, 1.0),
        ({"Patient": ["p"]}, {}, 1.0, 1.0),
        ({"Patient": ["p"]}, {"Patient": ()}, None, 0.0),
        ({}, {"Patient": ()}, 1.0, 1.0),
        ({"Flag": ["f"]}, {"Patient": ("p",)}, 0.0, None),
        ({"Patient": ["p", "q"]}, {"Patient": ("p",)}, 1.0, 0.5),
        ({"Patient": ["q"]}, {"Patient": ("p", "q")}, 0.0, 1.0),
        ({"Patient": ["p", "p", "q"]}, {"Patient": ("p",)}, 1.0, 2 / 3),
        ({"Patient": ["p"], "Flag": ["f"]}, {"Patient": ("p",)}, 1.0, 1.0),
    ]
)
def test_recall_and_precision(
    retrieved: dict[str, list[str]],
    true: dict[str, tuple[str, ...]],
    recall: float | None,
    precision: float | None,
) -> None:
    assert resource_scores.recall(retrieved, true) == recall
    assert resource_scores.precision(retrieved, true) == precision


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
    ended = Noted(ENDED, {"ids": retrieved, "answer": "female"})
    trajectory = Trajectory([Returned("fhir_request_get", "{}"), ended])
    found = score(TASK, trajectory, [Verdict("correct", PROGRAM, state)])
    assert found.passed == {"strict": strict, "paper": paper}


@pytest.mark.parametrize(
    "events", [[], [Returned("fhir_request_get", error_text(ToolError("no such path")))]]
)
def test_an_answer_before_any_look_earns_nothing_in_strict(events: list[Event]) -> None:
    ended = Noted(ENDED, {"ids": {"Patient": ["p", "q"]}, "answer": "female"})
    found = score(TASK, Trajectory([*events, ended]), [Verdict("correct", PROGRAM, "passed")])
    assert found.passed == {"strict": False, "paper": True}
