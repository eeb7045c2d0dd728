"""Both graders on transcripts of our own, played on a small record."""

import asyncio
import copy
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from wardround.benchmarks.medagentbench.environment import WRITE, MedEnvironment
from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.benchmarks.medagentbench.oracle import payload
from wardround.benchmarks.medagentbench.protocol import NOW
from wardround.benchmarks.medagentbench.references import Reference, reference
from wardround.benchmarks.medagentbench.state_grader import strict_failure
from wardround.benchmarks.medagentbench.tasks import Gold, Instruction, MedTask
from wardround.benchmarks.medagentbench.transcript_grader import notes, paper_failure
from wardround.core.actions import Say
from wardround.core.task import Briefing, Task
from wardround.core.trajectory import Trajectory
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
ANSWERS: dict[int, list[Any]] = {
    2: [72],
    3: [],
    4: [1.2],
    5: [1.2],
    6: [110.5],
    7: [121],
    8: [],
    9: [3.2],
    10: [7.1, "2021-11-12T09:00:00+00:00"],
}


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("fhir") / "small.fhir"
    build_record(path, RESOURCES, validation="record")
    return Record.open(path)


def task(type: int) -> MedTask:
    text = 'Refer S1 with these words: "Situation: pain."'
    return Task(f"task{type}_1", Instruction(text, ""), Gold(type, "S1"))


def expected(record: Record, type: int) -> Reference:
    with closing(record.workspace(NOW_TIME, gated=False)) as server:
        return reference(task(type), server)


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


def posts(found: Reference) -> Iterator[tuple[str, Resource]]:
    for write in found.writes:
        yield write.url, payload(write)


def transcript(writes: list[tuple[str, Resource]], answers: str) -> list[str]:
    return [*(f"POST {url}\n{json.dumps(body)}" for url, body in writes), f"FINISH({answers})"]


def failures(record: Record, type: int, messages: list[str]) -> tuple[str, str]:
    trajectory, found = play(record, messages), expected(record, type)
    return strict_failure(trajectory, found), paper_failure(trajectory, found)


@pytest.mark.parametrize("type", range(2, 11))
def test_the_right_transcript_passes(record: Record, type: int) -> None:
    writes = list(posts(expected(record, type)))
    assert failures(record, type, transcript(writes, json.dumps(ANSWERS[type]))) == ("", "")


@pytest.mark.parametrize("type", range(2, 11))
def test_a_write_too_many_or_too_few_fails(record: Record, type: int) -> None:
    writes = list(posts(expected(record, type)))
    answers = json.dumps(ANSWERS[type])
    for wrong in ([*writes, writes[0]] if writes else [flag()], writes[:-1]):
        if wrong != writes:
            strict, paper = failures(record, type, transcript(wrong, answers))
            assert strict
            assert paper


def flag() -> tuple[str, Resource]:
    return "http://localhost:8080/fhir/Flag", {"resourceType": "Flag", "status": "active"}


@pytest.mark.parametrize(
    ("type", "answers", "strict", "paper"),
    [
        (2, "[72.0]", True, True),
        (2, '["72"]', True, False),
        (2, "[73]", False, False),
        (2, "72", False, False),
        (4, "[2.4]", False, False),
        (6, "[110.6]", True, True),
        (6, "[110.7]", False, False),
        (7, "[100]", False, False),
        (7, "[]", False, False),
        (5, "[]", True, True),
        (9, "[]", True, True),
        (10, "[]", False, True),
        (10, '[7.1, "2021-11-12T10:00:00+01:00"]', True, False),
        (10, "[7.1", False, False),
    ],
)
def test_answers(record: Record, type: int, answers: str, strict: bool, paper: bool) -> None:
    writes = list(posts(expected(record, type)))
    failed = failures(record, type, transcript(writes, answers))
    assert tuple(not each for each in failed) == (strict, paper)


CHANGES: list[tuple[int, tuple[str | int, ...], Any, bool, bool]] = [
    (5, ("dosageInstruction", 0, "route"), {"text": "Intravenous"}, True, False),
    (5, ("dosageInstruction", 0, "route"), "oral", False, False),
    (
        5,
        ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity", "unit"),
        "gram",
        True,
        False,
    ),
    (5, ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity", "value"), 4, False, False),
    (5, ("dosageInstruction", 0, "doseAndRate", 0, "rateQuantity", "value"), 4, False, False),
    (5, ("medicationCodeableConcept", "coding", 0, "code"), "40032-917-01", False, False),
    (5, ("authoredOn",), "2023-11-13T11:15:00+01:00", True, False),
    (5, ("authoredOn",), "2023-11-13", False, False),
    (5, ("status",), "draft", False, False),
    (5, ("subject", "reference"), "Patient/S2", False, False),
    (3, ("valueString",), "118/78 mmHg", False, False),
    (3, ("category", 0, "coding", 0, "system"), "http://example.org", True, True),
    (8, ("note",), [{"text": "Situation: pain."}], True, False),
    (8, ("note",), [{"text": "Situation: none."}], False, False),
    (8, ("priority",), "routine", False, False),
    (9, ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity", "value"), 30.05, True, True),
    (9, ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity", "value"), 20, False, False),
    (10, ("code", "coding", 0, "code"), "2823-3", False, False),
    (10, ("resourceType",), "Nonsense", False, True),
]


@pytest.mark.parametrize(("type", "path", "value", "strict", "paper"), CHANGES)
def test_a_changed_write(
    record: Record, type: int, path: tuple[str | int, ...], value: Any, strict: bool, paper: bool
) -> None:
    writes = copy.deepcopy(list(posts(expected(record, type))))
    node: Any = writes[0][1]
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    failed = failures(record, type, transcript(writes, json.dumps(ANSWERS[type])))
    assert tuple(not each for each in failed) == (strict, paper)


def test_the_word_post_fails_a_question_as_published(record: Record) -> None:
    messages = ["I would not POST anything.", "FINISH([72])"]
    strict, paper = failures(record, 2, messages)
    assert not strict
    assert paper == "something was posted"


def test_an_agent_that_never_finishes(record: Record) -> None:
    assert failures(record, 2, ["hello"] * 9) == ("the agent did not finish",) * 2


def test_an_order_is_found_by_a_later_search(record: Record) -> None:
    url, body = next(posts(expected(record, 5)))
    search = "GET http://localhost:8080/fhir/MedicationRequest?patient=S1&_format=json"
    trajectory = play(record, [f"POST {url}\n{json.dumps(body)}", search, "FINISH([])"])
    found = trajectory.said_by("environment")[1]
    assert '"total":1' in found
    assert NOW[:10] in found


def test_a_defect_of_a_written_resource_is_named(record: Record) -> None:
    trajectory = play(record, transcript(list(posts(expected(record, 5))), "[1.2]"))
    [note] = notes(trajectory, WRITE)
    assert note["status"] == 201
    assert any("route" in defect for defect in note["defects"])
