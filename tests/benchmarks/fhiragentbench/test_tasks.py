"""The published CSV file, its defects, and the shipped questions."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from wardround.benchmarks.fhiragentbench.tasks import load_tasks, printed_value, shipped_tasks
from wardround.core.errors import UserError

HEAD = "split,question_id,question,sql_query,true_answer,assumption,patient_fhir_id,true_fhir_ids\n"
ROW = """valid,{id},How old?,SELECT 1,"[[61]]",,abc-1,"{{'Patient': ['abc-1']}}"\n"""


def read(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "questions.csv"
    path.write_text(text)
    return path


def test_a_published_file(tmp_path: Path) -> None:
    empty = 'valid,q2,Any?,,,"Count whole days.",abc-1,\n'
    suite = load_tasks(read(tmp_path, HEAD + ROW.format(id="q1") + empty))
    first, second = suite.tasks
    assert first.hidden.answer == [[61]]
    assert first.hidden.ids == {"Patient": ("abc-1",)}
    assert first.labels == {"types": "{Patient}", "answer": "answer", "split": "valid"}
    assert second.hidden.answer is None
    assert second.labels["answer"] == "no answer"
    assert second.public.request == (
        "Question: Any?\nContext:\nPatient FHIR ID is abc-1.\nCount whole days."
    )


@for_each(
    [
        ("[[201.]]", [[201.0]]),
        ("[[1 2]\n [3 4]]", [[1, 2], [3, 4]]),
        ("[['a b' 'c']\n ['d' None]]", [["a b", "c"], ["d", None]]),
        ("[['it\\'s' \"don't\"]]", [["it's", "don't"]]),
        ("[['2100-01-01 10:00:00' nan]]", [["2100-01-01 10:00:00", None]]),
        ("[['a, [b]']]", [["a, [b]"]]),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("[]", []),
        ("[[]]", [[]]),
        ("[True False]", [True, False]),
        ("[[1e-05]]", [[1e-05]]),
        ("[[1]", "[[1]"),
        ("5", 5),
        ("", None),
    ]
)
def test_printed_answers(cell: str, value: Any) -> None:
    assert printed_value(cell) == value


def test_types_without_ids_are_kept(tmp_path: Path) -> None:
    row = """valid,q1,Any?,,"[[0]]",,abc-1,"{'Observation': []}"\n"""
    (task,) = load_tasks(read(tmp_path, HEAD + row)).tasks
    assert task.hidden.ids == {"Observation": ()}
    assert task.labels["answer"] == "answer"


def test_faulty_rows_are_named(tmp_path: Path) -> None:
    wrong = "valid,q3,Any?,,1,,abc-1,[1]\nvalid,,Any?,,1,,abc-1,\n"
    suite = load_tasks(read(tmp_path, HEAD + ROW.format(id="q1") * 2 + wrong))
    assert len(suite.tasks) == 1
    assert [defect.reason.partition(":")[0] for defect in suite.defects] == [
        "the id was used before",
        "true_fhir_ids",
        "question",
    ]


@pytest.mark.parametrize("ids", ["{'Patient': 5}", "{'Patient': 'abc'}", "{'Flag': ['abc']}"])
def test_ids_that_are_no_lists_of_known_types_are_named(tmp_path: Path, ids: str) -> None:
    suite = load_tasks(read(tmp_path, HEAD + f'valid,q1,Any?,,1,,abc-1,"{ids}"\n'))
    assert [defect.reason.partition(":")[0] for defect in suite.defects] == ["true_fhir_ids"]


def test_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no column question_id"):
        load_tasks(read(tmp_path, "a,b\n1,2\n"))


def test_the_shipped_questions() -> None:
    suite = shipped_tasks()
    assert len(suite.tasks) == 40
    assert not suite.defects
    for task in suite.tasks:
        assert all(id not in task.public.request for id in task.hidden.ids.get("Observation", ()))
