"""Published task files load unchanged; broken records become defects."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from wardround.benchmarks.chatqa.tasks import load_tasks, parse_tasks
from wardround.core.errors import UserError

PUBLISHED: dict[str, Any] = {
    "task_id": "6",
    "task_type": "incre",
    "db_id": "small",
    "instruction": "Your goal is to count patients.",
    "gold_sql": "SELECT COUNT(*) FROM orders",
    "gold_answer": [[4]],
}


@pytest.mark.parametrize("form", ["array", "lines"])
def test_both_published_formats_load(tmp_path: Path, form: str) -> None:
    items = [PUBLISHED, {**PUBLISHED, "task_id": 7, "task_type": "adapt"}]
    text = json.dumps(items) if form == "array" else "\n".join(map(json.dumps, items)) + "\n"
    (tmp_path / "tasks.json").write_text(text)
    suite = load_tasks(tmp_path / "tasks.json")
    assert [task.id for task in suite.tasks] == ["small-incre-6", "small-adapt-7"]
    assert suite.tasks[0].hidden.gold_answer == ((4,),)
    assert suite.tasks[1].labels == {"flow": "adapt", "database": "small"}
    assert suite.defects == ()


@pytest.mark.parametrize(
    ("answer", "rows"), [([[1], [2]], ((1,), (2,))), (["a", "b"], (("a",), ("b",))), (3, ((3,),))]
)
def test_every_form_of_an_answer_becomes_rows(answer: Any, rows: Any) -> None:
    line = json.dumps({**PUBLISHED, "gold_answer": answer}).encode()
    assert parse_tasks(line, "f").tasks[0].hidden.gold_answer == rows


@for_each(
    [
        ("{broken", "not valid JSON"),
        ('"a text"', "not a JSON object"),
        (json.dumps({**PUBLISHED, "task_id": "x", "task_type": "other"}), "task_type"),
        (json.dumps({k: v for k, v in PUBLISHED.items() if k != "gold_sql"}), "gold_sql"),
        (json.dumps(PUBLISHED), "was used before"),
        (json.dumps({**PUBLISHED, "task_id": "x", "gold_answer": [[]]}), "at least one value"),
        (
            json.dumps({**PUBLISHED, "task_id": "x", "gold_answer": [[1], [2, 3]]}),
            "the same number each",
        ),
    ]
)
def test_broken_task_is_reported_with_its_line_and_others_load(line: str, reason: str) -> None:
    suite = parse_tasks(f"{json.dumps(PUBLISHED)}\n\n{line}\n".encode(), "tasks.jsonl")
    assert [task.id for task in suite.tasks] == ["small-incre-6"]
    assert [defect.where for defect in suite.defects] == ["tasks.jsonl, line 3"]
    assert reason in suite.defects[0].reason


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "does not exist"),
        ("[{]", "not valid JSON"),
        ("", "no readable task"),
        ("{}", "no readable task"),
    ],
)
def test_file_without_tasks_is_an_error(
    tmp_path: Path, content: str | None, complaint: str
) -> None:
    path = tmp_path / "tasks.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UserError, match=complaint):
        load_tasks(path)
