"""Readers of the published file."""

from pathlib import Path

import pytest

from wardround.benchmarks.fhiragentbench.grades import Retrieval, retrieval_grades
from wardround.benchmarks.fhiragentbench.tasks import answer_rows, load_tasks
from wardround.core.errors import UserError

HEAD = "question_id,question,sql_query,true_answer,assumption,patient_fhir_id,true_fhir_ids\n"


def written(folder: Path, *rows: str) -> Path:
    path = folder / "questions.csv"
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_a_published_row_becomes_a_task(tmp_path: Path) -> None:
    row = "q1,How many?,SELECT 1,[[2]],now,p1,\"{'Encounter': ['a', 'b'], 'Location': []}\""
    (task,) = load_tasks(written(tmp_path, row)).tasks
    assert task.public.text == "How many?"
    assert task.hidden.answer == ((2,),)
    assert task.hidden.resources == {"Encounter": ("a", "b")}
    assert task.labels["types"] == "Encounter"


def test_broken_rows_are_named_and_the_others_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "q1,Fine?,,[],,p1,",
        "q2,Unknown type?,,1,,p1,\"{'Flag': ['a']}\"",
        "q3,Not a dictionary?,,1,,p1,[1]",
        "q4,Not a list?,,1,,p1,{'Patient': 'a'}",
        ",No id?,,1,,p1,{}",
        "q1,Again?,,1,,p1,{}",
    )
    suite = load_tasks(path)
    assert [task.id for task in suite.tasks] == ["q1"]
    reasons = [defect.reason for defect in suite.defects]
    assert reasons[:3] == [
        "true_fhir_ids: 'Flag' is none of the ten types",
        "true_fhir_ids: not a Python dictionary of types and ids",
        "true_fhir_ids: the ids of a type are not a list",
    ]
    assert "line 3" in suite.defects[0].where
    assert len(reasons) == 5


def test_a_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(UserError, match="lacks the column question"):
        load_tasks(path)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", ()),
        ("None", ()),
        ("nan", ()),
        ("[[None]]", ()),
        ("['a', 'b']", (("a",), ("b",))),
        ("home health care", (("home health care",),)),
        ("2100-01-01 10:00:00", (("2100-01-01 10:00:00",),)),
        ("[('a', 1)]", (("a", 1),)),
    ],
)
def test_answers_are_python_literals_or_texts(text: str, rows: object) -> None:
    assert answer_rows(text) == rows


def test_retrieval_is_graded_as_published() -> None:
    true = {"Encounter": ["1", "2"]}
    assert retrieval_grades(true, {"Encounter": ["1"], "Patient": ["9"]}) == Retrieval(0.0, 1.0)
    assert retrieval_grades(true, {"Patient": ["9"]}) == Retrieval(0.0, None)
    assert retrieval_grades({}, {}) == Retrieval(1.0, 1.0)
    assert retrieval_grades({}, {"Patient": ["9"]}) == Retrieval(None, 0.0)
