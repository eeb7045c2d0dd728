"""Published files in both forms; broken records are reported, the rest is read."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from wardround.benchmarks.kit.published_files import (
    FileRecord,
    array_records,
    json_lines,
    parse_records,
    read_json,
    suite_of,
    validated,
    with_tasks,
)
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task


class Row(BaseModel):
    id: str
    size: int


def row_task(record: FileRecord) -> Task[int, None] | Defect:
    row = validated(record, Row)
    return row if isinstance(row, Defect) else Task(row.id, row.size, None)


GOOD = {"id": "a", "size": 1}


def test_json_array_and_json_lines_give_the_same_records() -> None:
    records = [GOOD, {"id": "b", "size": 2}]
    lines = parse_records(b"\n" + json_lines(records), "rows.jsonl")
    array = parse_records(json.dumps(records).encode(), "rows.json")
    assert [line.content for line in lines if isinstance(line, FileRecord)] == records
    assert [item.content for item in array if isinstance(item, FileRecord)] == records
    assert [line.where for line in lines] == ["rows.jsonl, line 2", "rows.jsonl, line 3"]
    assert [item.where for item in array] == ["rows.json, task 1", "rows.json, task 2"]


def test_items_of_an_array_are_located_by_the_benchmark_s_noun() -> None:
    assert [record.where for record in array_records([GOOD], "f", "question")] == ["f, question 1"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{broken", "not valid JSON"),
        ("3", "not a JSON object"),
        ('{"id": "b"}', "size: Field required"),
        ('{"id": "b", "size": "many"}', "size: Input should be a valid integer"),
        ('{"id": "a", "size": 9}', "the id a was used before"),
    ],
)
def test_broken_record_becomes_a_defect_with_its_line(line: str, reason: str) -> None:
    content = f"{json.dumps(GOOD)}\n{line}\n".encode()
    suite = suite_of(parse_records(content, "f"), row_task, "f")
    assert [task.id for task in suite.tasks] == ["a"]
    assert [defect.where for defect in suite.defects] == ["f, line 2"]
    assert suite.defects[0].reason.startswith(reason)


def test_suite_without_tasks_is_an_error_with_the_first_defect() -> None:
    suite = Suite((), (Defect("f, line 2", "size: Field required"),))
    with pytest.raises(UserError, match="contains no readable task: f, line 2: size: Field"):
        with_tasks(suite, Path("f"))


def test_missing_or_invalid_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[1,")
    for name, complaint in {"none.json": "does not exist", "broken.json": "valid JSON"}.items():
        with pytest.raises(UserError, match=complaint):
            read_json(tmp_path / name)
