from pathlib import Path
from shutil import copy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.authoring.interact.task_writer import dump_tasks, published_record
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
    load_tasks,
    parse_tasks,
)
from wardround.core.errors import UserError
from wardround.core.task import Task
from wardround.people.clarifying.kinds import names
from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.soft_results import Conditions

HERE = Path(__file__).parent
GOOD: dict[str, Any] = {
    "instance_id": "good",
    "selected_database": "alien",
    "amb_user_query": "How many?",
    "category": "Query",
    "sol_sql": ["SELECT 1"],
}
FAULTY = [
    line.split("\t")
    for line in (HERE / "faulty.tsv").read_text("utf-8").splitlines()[2:]
    if line.strip()
]
PROGRAM = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    return True"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy(HERE / "published.jsonl", tmp_path / "data.jsonl")
    copy(HERE / "truth.jsonl", tmp_path / "ground_truth.jsonl")
    (tmp_path / "alien_kb.jsonl").write_text('{"id": 1, "knowledge": "A", "definition": "a"}\n')
    return tmp_path


def lines(*records: Any) -> bytes:
    return b"\n".join(map(orjson.dumps, records))


def test_published_format_loads_with_its_ground_truth(folder: Path) -> None:
    suite = load_tasks(folder)
    assert suite.defects == ()
    first, second = suite.tasks
    assert first == Task(
        "alien_1",
        InteractPublic("Show strong signals of elderly stations.", "alien"),
        InteractHidden(
            "",
            Subtask(
                "Show strong signals of elderly stations.",
                "BI",
                ("SELECT 1",),
                conditions=Conditions(order=True, decimals=2),
                knowledge=(1, 2),
            ),
            Subtask(
                "Only those of the north.",
                "BI",
                ("SELECT 2",),
                conditions=Conditions(distinct=True),
                follow_up="constraint change",
            ),
            (
                Ambiguity("strong", "semantic", ("strength > 10",)),
                Ambiguity("rounded", "decimal", ("ROUND(x, 2)", "ROUND(y, 2)"), critical=False),
                Ambiguity("Station Age", "knowledge_ambiguity", ("now - built",), knowledge=2),
            ),
        ),
        {
            "category": "BI",
            "ambiguities": "semantic, decimal, knowledge_ambiguity",
            "follow_up": "constraint change",
            "database": "alien",
        },
    )
    assert first.hidden.masked == {2}
    assert second.hidden == InteractHidden(
        "Make a table named strong of signals above 10.",
        Subtask(
            "Make a table of signals.",
            "DM",
            ("CREATE TABLE strong AS SELECT 1",),
            (PROGRAM,),
            knowledge=(4,),
        ),
        Subtask("Count it.", "BI", ("SELECT count(*) FROM strong",), follow_up="state-dependent"),
        (),
        ("DROP TABLE IF EXISTS strong",),
        ("DROP TABLE strong",),
    )


def test_ground_truth_may_be_in_any_file(folder: Path) -> None:
    together = load_tasks(folder).tasks
    assert load_tasks(HERE / "published.jsonl", HERE / "truth.jsonl").tasks == together
    (folder / "one.txt").write_bytes(dump_tasks(together))
    assert load_tasks(folder / "one.txt").tasks == together


def test_without_its_ground_truth_no_task_can_be_read() -> None:
    with pytest.raises(UserError, match=r"published\.jsonl, line 1: sol_sql: there is none; put"):
        load_tasks(HERE / "published.jsonl")


def test_a_folder_must_have_one_task_file(folder: Path) -> None:
    copy(folder / "data.jsonl", folder / "more.jsonl")
    with pytest.raises(UserError, match="holds 2 task files and 1 files of ground truth"):
        load_tasks(folder)
    with pytest.raises(UserError, match="does not exist"):
        load_tasks(folder / "none.jsonl")


@for_each(FAULTY)
def test_defects_name_the_field_and_the_line(field: str, value: str, reason: str) -> None:
    changed = {**GOOD, field: orjson.loads(value)} if value else GOOD.copy()
    if not value:
        del changed[field]
    suite = parse_tasks(lines(changed, {**GOOD, "instance_id": "other"}), "tasks.jsonl")
    assert [task.id for task in suite.tasks] == ["other"]
    (defect,) = suite.defects
    assert defect.where == "tasks.jsonl, line 1"
    assert defect.reason.startswith(reason)


def test_broken_records_become_defects_and_the_rest_loads() -> None:
    content = b'{"instance_id": \n\n' + lines([1], GOOD, GOOD, {**GOOD, "instance_id": "b"})
    truth = lines(
        {"instance_id": "b", "sol_sql": ["SELECT 2"], "external_knowledge": ["x"]},
        {"instance_id": "b"},
        {"instance_id": "nobody"},
        {"sol_sql": "SELECT 1"},
        3,
    )
    suite = parse_tasks(content, "t", truth)
    assert [task.id for task in suite.tasks] == ["good"]
    reasons = {defect.where: defect.reason for defect in suite.defects}
    assert reasons.pop("t, line 1").startswith("not valid JSON (")
    assert reasons == {
        "t, line 3": "not a JSON object",
        "t, line 5": "the id good was used before",
        "t, line 6 (with t's ground truth, line 1)": (
            "external_knowledge.0: Input should be a valid integer, unable to parse string as an "
            "integer"
        ),
        "t's ground truth, line 2": "instance_id: b was used before",
        "t's ground truth, line 3": "instance_id: nobody is no task's",
        "t's ground truth, line 4": "instance_id: Input should be a valid string",
        "t's ground truth, line 5": "not a JSON object",
    }


texts = st.text(st.characters(codec="utf-8"), max_size=8)
not_blank = texts.filter(str.strip)
many = st.lists(not_blank, max_size=3).map(tuple)
ids = st.integers(0, 99)
kinds = st.sampled_from(names("intent", "implementation", "knowledge", "environment"))
decimals = st.none() | st.integers(0, 5)
conditions = st.builds(Conditions, st.booleans(), st.booleans(), decimals)


def subtasks(request: st.SearchStrategy[str], follow_up: st.SearchStrategy[str]) -> Any:
    return st.builds(
        Subtask,
        request,
        st.sampled_from(["BI", "DM"]),
        st.lists(not_blank, min_size=1, max_size=3).map(tuple),
        many,
        conditions,
        follow_up,
        st.lists(ids, max_size=3).map(tuple),
    )


@st.composite
def tasks(draw: st.DrawFn) -> InteractTask:
    request = draw(not_blank)

    def points(critical: bool, knowledge: st.SearchStrategy[int | None]) -> list[Ambiguity]:
        flags = st.just(critical)
        return draw(
            st.lists(st.builds(Ambiguity, texts, kinds, many, flags, knowledge, texts), max_size=3)
        )

    unmasked = st.none()
    hidden = InteractHidden(
        draw(texts),
        draw(subtasks(st.just(request), st.just(""))),
        draw(st.none() | subtasks(not_blank, st.sampled_from(["", *names("follow-up"), "other"]))),
        (*points(True, unmasked), *points(False, unmasked), *points(True, ids)),
        draw(many),
        draw(many),
    )
    return interact_task(draw(not_blank), InteractPublic(request, draw(not_blank)), hidden)


def apart(record: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits a record as it is distributed: the public part and the ground truth."""
    names = ("sol_sql", "test_cases", "external_knowledge")
    empty: dict[str, Any] = {name: [] for name in names}
    second = record["follow_up"]
    public = {**record, **empty, "follow_up": second and {**second, **empty}}
    truth = {name: record[name] for name in ("instance_id", *names)}
    return public, {**truth, "follow_up": second and {name: second[name] for name in names}}


@given(st.lists(tasks(), max_size=3, unique_by=lambda task: task.id))
def test_written_tasks_are_read_back(written: list[InteractTask]) -> None:
    suite = parse_tasks(dump_tasks(written), "t")
    assert list(suite.tasks) == written
    assert suite.defects == ()


@given(st.lists(tasks(), max_size=3, unique_by=lambda task: task.id))
def test_ground_truth_may_be_in_a_second_file(written: list[InteractTask]) -> None:
    pairs = [apart(published_record(task)) for task in written]
    public, truth = (lines(*(pair[n] for pair in pairs)) for n in (0, 1))
    assert parse_tasks(public, "t", truth) == parse_tasks(dump_tasks(written), "t")


json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@given(tasks(), st.data())
def test_random_values_become_a_task_or_a_defect(task: InteractTask, data: st.DataObject) -> None:
    public, truth = published_record(task), published_record(task)
    for record in (public, truth):
        parts = [part for part in (record, record["follow_up"]) if part]
        part = data.draw(st.sampled_from(parts))
        part[data.draw(st.sampled_from(sorted(part)))] = data.draw(json)
    suite = parse_tasks(lines(public), "t", lines(truth))
    assert len(suite.tasks) + len(suite.defects) >= 1
    assert all(task.hidden.first.gold for task in suite.tasks)


def test_very_deep_values_are_defects() -> None:
    deep = b"[" * 1000 + b"]" * 1000
    for field in GOOD:
        line = lines(GOOD).replace(orjson.dumps(GOOD[field]), deep)
        suite = parse_tasks(line, "t", line)
        assert suite.tasks == ()
        assert suite.defects[0].where.startswith("t")
