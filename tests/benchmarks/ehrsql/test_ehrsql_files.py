"""Published files load unchanged; broken records are reported, the rest is kept."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wardround.benchmarks.ehrsql.file_scoring.predictions import read_confidences, read_predictions
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.task import Chosen

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

V1_5 = {
    "db_id": "mimic_iii",
    "question": "Since 2102, when was 31's last heparin order?",
    "template": "when was the last prescription time of heparin of patient 31 since 2102?",
    "query": "select 1",
    "value": {"patient_id": 31},
    "q_tag": "when was the [time_filter_exact1] order of {drug_name} of patient {patient_id}?",
    "t_tag": ["abs-year-since", "", "", "exact-last", ""],
    "department": "['nursing', 'insurance_review']",
    "importance": "high",
    "is_impossible": False,
    "id": "a1",
}
REFUSABLE = {
    "id": "a2",
    "db_id": "mimic_iii",
    "question": "Is anybody waiting?",
    "template": "schedule",
    "query": "null",
    "department": ["nursing"],
    "is_impossible": True,
}


def test_file_of_1_5_loads(tmp_path: Path) -> None:
    file = tmp_path / "valid.json"
    file.write_text(json.dumps([V1_5, REFUSABLE, V1_5, {"id": "a3"}]), encoding="utf-8")
    suite = load_tasks(file)
    known, refusable = suite.tasks
    assert known.hidden.gold == "select 1"
    assert known.public.now == "2105-12-31 23:59:00"
    assert dict(known.labels) == {
        "kind": "answerable",
        "database": "mimic_iii",
        "template": V1_5["q_tag"],
        "scope": "single",
        "time": "absolute",
        "time_filters": "global and exact",
        "importance": "high",
        "department": "nursing, insurance review",
    }
    assert refusable.labels["kind"] == "unanswerable"
    assert refusable.labels["template"] == "schedule"
    assert [d.reason for d in suite.defects] == [
        "the id a1 was used before",
        "question: Field required",
    ]
    assert load_tasks(tmp_path).tasks == suite.tasks, "the folder of the one file does as well"


def test_folder_of_2024_loads(questions: Path) -> None:
    suite = load_tasks(questions)
    assert [task.id for task in suite.tasks] == ["count", "drugs", "recent", "pulse", "plan", "why"]
    assert Counter(task.labels["kind"] for task in suite.tasks) == {
        "answerable": 4,
        "unanswerable": 2,
    }
    assert {task.public.now for task in suite.tasks} == {"2100-12-31 23:59:00"}
    assert load_tasks(questions / "data.json") == load_tasks(questions)


def test_file_can_set_the_current_time(questions: Path, tmp_path: Path) -> None:
    content = json.loads((questions / "data.json").read_text("utf-8"))
    content["current_time"] = "2080-01-01 00:00:00"
    content["data"][0]["current_time"] = "2090-01-01 00:00:00"
    (questions / "data.json").write_text(json.dumps(content), encoding="utf-8")
    first, second, *_ = load_tasks(questions).tasks
    assert first.public.now == "2090-01-01 00:00:00"
    assert second.public.now == "2080-01-01 00:00:00"
    file = tmp_path / "made.json"
    file.write_text(json.dumps([V1_5 | {"current_time": "2080-01-01 00:00:00"}]), "utf-8")
    assert load_tasks(file).tasks[0].public.now == "2080-01-01 00:00:00"


def test_without_labels_questions_are_unlabelled(questions: Path) -> None:
    (questions / "label.json").unlink()
    assert {task.labels["kind"] for task in load_tasks(questions).tasks} == {"unlabelled"}


def test_labels_and_questions_with_different_ids_are_reported(questions: Path) -> None:
    labels = json.loads((questions / "label.json").read_text("utf-8"))
    del labels["drugs"]
    labels["stranger"] = "SELECT 1"
    (questions / "label.json").write_text(json.dumps(labels), encoding="utf-8")
    suite = load_tasks(questions)
    assert "drugs" not in {task.id for task in suite.tasks}
    assert [d.reason for d in suite.defects] == [
        "drugs has no label in label.json",
        "stranger labels no question",
    ]


def test_answers_are_loaded_with_the_questions(questions: Path) -> None:
    answers = {"count": "[['3']]", "plan": "null"}
    (questions / "answer.json").write_text(json.dumps(answers), encoding="utf-8")
    loaded = {task.id: task.hidden.answer for task in load_tasks(questions).tasks}
    assert loaded["count"] == (("3",),)
    assert loaded["plan"] is None
    (questions / "answer.json").write_text('{"count": "three"}', encoding="utf-8")
    with pytest.raises(UserError, match="the answer of count is not a list of rows"):
        load_tasks(questions)


def test_answers_of_questions_that_are_not_chosen_are_not_read(questions: Path) -> None:
    (questions / "answer.json").write_text('{"count": "three"}', encoding="utf-8")
    suite = load_tasks(questions, Chosen(ids=("plan",)))
    assert [task.id for task in suite.tasks] == ["plan"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.json", None, "does not exist"),
        ("broken.json", "[", "not valid JSON"),
        ("object.json", "{}", "no array of questions"),
        ("empty.json", "[]", "no readable task"),
        ("data.json", '{"data": 3}', "no data.json of EHRSQL 2024"),
    ],
)
def test_invalid_question_files_are_refused(
    tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        load_tasks(tmp_path / name)


def test_folder_of_several_files_is_refused(tmp_path: Path) -> None:
    for name in ("train.json", "valid.json", "tables.json"):
        (tmp_path / name).write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match="name the file"):
        load_tasks(tmp_path)


def test_unusable_predictions_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    text = (
        '{"a": "SELECT 1", "b": "null", "c": null, "d": 7, "e": "SELECT 1", "e": "SELECT 2", '
        '"a": "SELECT 1", "f": "NULL ", "g": " null\\n"}'
    )
    file.write_text(text, encoding="utf-8")
    predictions = read_predictions(file)
    assert predictions.answers == {"a": "SELECT 1", "b": "null", "f": "NULL ", "g": " null\n"}
    assert set(predictions.unusable) == {"c", "d", "e"}
    assert predictions.duplicates == ("a", "e")
    assert predictions.almost_null() == ("f",)
    assert predictions.unknown(["a", "b", "c", "d"]) == ("f", "g", "e")


@pytest.mark.parametrize("text", ["[]", '"x"', "{", "\udcff"])
def test_invalid_prediction_files_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "p.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError, match=r"fix the file\.$"):
        read_predictions(file)


@pytest.mark.parametrize("value", ["true", '"high"', "null", "NaN"])
def test_confidence_must_be_a_number(tmp_path: Path, value: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(f'{{"a": 0.5, "b": {value}}}', encoding="utf-8")
    with pytest.raises(UserError, match="the confidence of b is not a number"):
        read_confidences(file)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no published files: reading them is not tried")
@pytest.mark.parametrize(
    ("name", "answerable", "unanswerable"),
    [
        ("ehrsql-1.5/mimic_iii/valid.json", 760, 362),
        ("ehrsql-1.5/eicu/valid.json", 755, 362),
        ("ehrsql-2024/train", 4674, 450),
        ("ehrsql-2024/valid", 931, 232),
    ],
)
def test_published_files_load_unchanged(name: str, answerable: int, unanswerable: int) -> None:
    suite = load_tasks(SHARED / name)
    kinds = Counter(task.labels["kind"] for task in suite.tasks)
    assert kinds == {"answerable": answerable, "unanswerable": unanswerable}
    assert suite.defects == ()
