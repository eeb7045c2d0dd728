"""Both graders on transcripts of our own, played on a small record."""

import asyncio
import json
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.benchmarks.medagentbench.rows_server import RowsServer
from tests.cases import for_each, one_in
from wardround.benchmarks.medagentbench.environment import WRITE, MedEnvironment
from wardround.benchmarks.medagentbench.judge import Graders, verdicts
from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.benchmarks.medagentbench.oracle import payload
from wardround.benchmarks.medagentbench.protocol import NOW, Finish, Post, parse_message
from wardround.benchmarks.medagentbench.references import Golds, Reference, golds
from wardround.benchmarks.medagentbench.tasks import Gold, Instruction, MedTask
from wardround.benchmarks.medagentbench.transcript_grader import (
    agent_messages,
    notes,
    paper_failure,
    published_posts,
)
from wardround.core.actions import Say
from wardround.core.benchmark import JudgeContext
from wardround.core.task import Briefing, Task
from wardround.core.trajectory import Called, Event, Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record


def measured(id: str, code: str, value: float, time: str) -> Resource:
    return {
        "resourceType": "Observation",
        "id": id,
        "status": "final",
        "code": {"coding": [{"code": code}]},
        "subject": {"reference": "Patient/S1"},
        "effectiveDateTime": time,
        "valueQuantity": {"value": value},
    }


RESOURCES: list[Resource] = [
    {
        "resourceType": "Patient",
        "id": "S1",
        "identifier": [{"value": "S1"}],
        "birthDate": "1950-11-14",
    },
    measured("m1", "MG", 1.2, "2023-11-13T08:00:00+00:00"),
    measured("m0", "MG", 2.4, "2023-11-11T08:00:00+00:00"),
    measured("g1", "GLU", 100, "2023-11-13T08:00:00+00:00"),
    measured("g2", "GLU", 121, "2023-11-13T09:00:00+00:00"),
    measured("k1", "K", 3.2, "2023-11-12T09:00:00+00:00"),
    measured("a1", "A1C", 7.1, "2021-11-12T09:00:00+00:00"),
]
HERE = Path(__file__).parent
Case: TypeAlias = dict[str, Any]


def cases(name: str) -> list[Case]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("fhir") / "small.fhir"
    build_record(path, RESOURCES, validation="record")
    return Record.open(path)


def task(type: int) -> MedTask:
    text = 'Refer S1 with these words: "Situation: pain."'
    return Task(f"task{type}_1", Instruction(text, ""), Gold(type, "S1", ("S1",)))


@cache
def expected(record: Record, type: int) -> Golds:
    with closing(record.workspace(NOW_TIME, gated=False)) as server:
        return golds(task(type), server, pages=1)


def play(record: Record, messages: list[str]) -> Trajectory:
    """The trajectory of an agent that says these messages."""

    async def played() -> Trajectory:
        trajectory = Trajectory([])
        server = record.workspace(NOW_TIME, gated=False, validation="record")
        environment = MedEnvironment(Briefing("", ()), "", server, 8, trajectory)
        for message in messages:
            trajectory.acted(Say(message))
            observation = await environment.step(Say(message))
            trajectory.observed(observation, Say(message))
            if observation.done:
                break
        await environment.close()
        return trajectory

    return asyncio.run(played())


def posts(found: Golds, case: Case) -> list[str]:
    """The right posts, with the change of a case."""
    [gold] = found.strict
    bodies = [payload(write) for write in gold.writes]
    for place, value in case.get("change", {}).items():
        *steps, last = [int(s) if s.isdigit() else s for s in place.split(".")]
        node: Any = bodies[case["post"] - 1]
        for step in steps:
            node = node[step]
        node[last] = value
    pairs = zip(gold.writes, bodies, strict=True)
    return [f"POST {write.url}\n{json.dumps(body)}" for write, body in pairs]


def transcript(found: Golds, case: Case) -> list[str]:
    """The messages of a case, with the right posts and answers in their places."""
    right = posts(found, case)
    url, _, body = right[0].partition("\n") if right else ("", "", "")
    answer = f"FINISH({json.dumps(found.strict[0].answer or ())})"
    texts = {"@1": right[0] if right else "", "@2": right[-1] if right else ""}
    texts |= {"@url": url, "@body": body, "@answer": answer}
    messages = list[str]()
    for message in case["messages"]:
        for name, text in texts.items():
            message = message.replace(name, text)
        messages += right if message == "@posts" else [message]
    return messages


def judged(trajectory: Trajectory, golds: Golds) -> list[Verdict]:
    async def listed() -> list[Verdict]:
        found = verdicts(task(1), trajectory, Graders(lambda task: golds), JudgeContext())
        return [verdict async for verdict in found]

    return asyncio.run(listed())


@for_each(one_in(4, cases("transcripts.jsonl")))
def test_transcripts(case: Case, *, record: Record) -> None:
    found = expected(record, case["type"])
    trajectory = play(record, transcript(found, case))
    given = judged(trajectory, found)
    passed = {verdict.item: verdict.passed for verdict in given}
    assert passed == {"paper": case["paper"], "strict": case["strict"]}, given


@for_each(cases("messages.jsonl"))
def test_messages(case: Case) -> None:
    assert repr(parse_message(case["message"])) == case["action"]


@for_each(cases("records.jsonl"))
def test_golds(case: Case) -> None:
    server = RowsServer(case["rows"], case.get("page", 1000))
    found = golds(task(case["type"]), server, pages=1)
    assert [answer(gold) for gold in found.strict] == case["strict"]
    assert (None if found.paper is None else answer(found.paper)) == case["paper"]
    assert bool(found.reason) == (found.paper is None)
    if found.paper and "writes" in case:
        assert len(found.paper.writes) == case["writes"]


def answer(gold: Reference) -> Any:
    return "any" if gold.answer is None else list(gold.answer)


def test_record_that_cannot_be_read_fails_in_paper_and_is_undecided_in_strict() -> None:
    found = golds(task(4), RowsServer([[None, "2023-11-13T08:00:00+00:00"]]), pages=1)
    given = judged(Trajectory([]), found)
    assert {each.item: each.state for each in given} == {
        "strict": "undecided",
        "paper": "failed",
    }
    assert {each.reason for each in given} == {"a measurement has no value or no time"}


@pytest.mark.parametrize("type", range(1, 11))
def test_calls_of_tools_are_graded_as_the_messages_they_stand_for(
    record: Record, type: int
) -> None:
    found = expected(record, type)
    case = {"messages": ["@posts", "@answer"]}
    said = play(record, transcript(found, case))
    called = Trajectory([_as_call(event) for event in said.events])
    assert paper_failure(called, found.paper or found.strict[0]) == ""
    assert list(published_posts(agent_messages(called))) == list(
        published_posts(agent_messages(said))
    )


def _as_call(event: Event) -> Event:
    if not isinstance(event, Said) or event.speaker != "agent":
        return event
    match parse_message(event.text):
        case Post(url, body):
            return Called("post", {"url": url, "body": json.dumps(body)})
        case Finish(result):
            return Called("finish", {"answers": result})
    raise AssertionError(event)


def test_an_order_is_found_by_a_later_search(record: Record) -> None:
    [order] = posts(expected(record, 5), {})
    search = "GET http://localhost:8080/fhir/MedicationRequest?patient=S1&_format=json"
    trajectory = play(record, [order, search, "FINISH([])"])
    accepted, found = trajectory.said_by("environment")
    assert accepted.startswith("POST request accepted and executed successfully.")
    assert found.startswith("Here is the response from the GET request:")
    assert '"total":1' in found
    assert '"url":"http://localhost:8080/fhir/MedicationRequest?patient=S1' in found
    assert NOW[:10] in found


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("GET http://elsewhere/Patient?name=a", "Error in sending the GET request: the address"),
        ("GET http://localhost:8080/fhir/Patient/S1", "Error in sending the GET request: 400"),
        ("GET http://localhost:8080/fhir/http://elsewhere/", "Error in sending the GET request: 4"),
        ("POST http://localhost:8080/fhir/Flag\nno JSON", "Invalid POST request"),
        ("POST http://localhost:8080/fhir/Flag\n[]", "The server refused the POST request"),
        ('POST http://localhost:8080/fhir/Flag\n{"a": 1e999}', "The server refused the POST"),
    ],
)
def test_requests_that_are_not_carried_out(record: Record, message: str, reply: str) -> None:
    trajectory = play(record, [message, "FINISH([])"])
    assert trajectory.said_by("environment")[0].startswith(reply)


def test_a_defect_of_a_written_resource_is_named(record: Record) -> None:
    trajectory = play(record, [*posts(expected(record, 5), {}), "FINISH([1.2])"])
    [note] = notes(trajectory, WRITE)
    assert note["status"] == 201
    assert any("route" in defect for defect in note["defects"])
