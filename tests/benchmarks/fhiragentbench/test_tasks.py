"""The published CSV file, its defects, and the shipped questions."""

from pathlib import Path

import pytest

from wardround.benchmarks.fhiragentbench.tasks import load_tasks, shipped_tasks
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
    assert first.labels == {"types": "Patient", "answer": "answer", "split": "valid"}
    assert second.hidden.answer is None
    assert second.labels["answer"] == "no answer"
    assert "Count whole days." in second.public.request


def test_faulty_rows_are_named(tmp_path: Path) -> None:
    wrong = "valid,q3,Any?,,1,,abc-1,[1]\nvalid,,Any?,,1,,abc-1,\n"
    suite = load_tasks(read(tmp_path, HEAD + ROW.format(id="q1") * 2 + wrong))
    assert len(suite.tasks) == 1
    assert [defect.reason.partition(":")[0] for defect in suite.defects] == [
        "the id was used before",
        "true_fhir_ids",
        "question",
    ]


def test_another_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no column question_id"):
        load_tasks(read(tmp_path, "a,b\n1,2\n"))


def test_the_shipped_questions() -> None:
    suite = shipped_tasks()
    assert len(suite.tasks) == 40
    assert not suite.defects
    for task in suite.tasks:
        assert all(id not in task.public.request for id in task.hidden.ids.get("Observation", ()))
