import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.clinsql.item_samples import SQL_RUBRIC, leaf, write_item
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.errors import UserError

PUBLISHED = os.environ.get("WARDROUND_CLINSQL", "")


def test_items_of_all_splits_are_read_with_their_labels(tmp_path: Path) -> None:
    write_item(tmp_path / "test", "Vital_Signs_Monitoring/easy/001")
    write_item(tmp_path / "validation", "Medication_Management/hard/001")
    suite = load_tasks(tmp_path)
    assert [task.id for task in suite.tasks] == [
        "Vital_Signs_Monitoring/easy/001",
        "Medication_Management/hard/001",
    ]
    assert suite.tasks[1].labels == {
        "scenario": "Medication_Management",
        "level": "hard",
        "split": "validation",
    }


def test_a_single_item_is_read_by_its_folder(tmp_path: Path) -> None:
    assert load_tasks(write_item(tmp_path)).tasks[0].id == "Vital_Signs_Monitoring/easy/001"


def test_a_node_without_an_id_is_known_and_does_not_stop_its_item(tmp_path: Path) -> None:
    rubric = deepcopy(SQL_RUBRIC)
    del rubric["sub_tasks"][0]["sub_tasks"][1]["id"]
    write_item(tmp_path, sql_rubric=rubric)
    suite = load_tasks(tmp_path)
    assert [task.id for task in suite.tasks] == ["Vital_Signs_Monitoring/easy/001"]
    assert [(d.where, d.reason) for d in suite.known] == [
        (
            "Vital_Signs_Monitoring/easy/001",
            "it has no id: node patient-cohort-construction/2 of the sql rubric",
        )
    ]


@pytest.mark.parametrize(
    "name",
    ["query_001.txt", "sql_001.sql", "result_001.csv", "sql_rubric_tree.json"],
)
def test_a_missing_file_is_a_defect_of_its_item_alone(tmp_path: Path, name: str) -> None:
    write_item(tmp_path, "Vital_Signs_Monitoring/easy/002")
    (write_item(tmp_path) / name).unlink()
    suite = load_tasks(tmp_path)
    assert [task.id for task in suite.tasks] == ["Vital_Signs_Monitoring/easy/002"]
    [defect] = suite.defects
    assert defect.where == "Vital_Signs_Monitoring/easy/001"
    assert name in defect.reason


def test_files_that_are_no_item_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no readable item"):
        load_tasks(tmp_path)
    with pytest.raises(UserError, match="does not exist"):
        load_tasks(tmp_path / "nothing")


@pytest.mark.skipif(not PUBLISHED, reason="WARDROUND_CLINSQL names no published folder")
def test_the_published_items_are_read_whole() -> None:
    suite = load_tasks(Path(PUBLISHED))
    assert len(suite.tasks) == 633
    assert not suite.defects


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        ("[]", "Input should be a valid dictionary"),
        ('{"anchor": "x"}', "anchor: Input should be a valid integer"),
        ('{"checks": [1]}', "checks: Input should be a valid dictionary"),
        ('{"checks": {"sql:sex": {"kind": "nope"}}}', "item.json, sql:sex holds a check of no"),
        ("{", "item.json is not valid JSON"),
    ],
)
def test_a_wrong_item_json_is_a_defect_of_its_item_alone(
    tmp_path: Path, added: str, reason: str
) -> None:
    write_item(tmp_path)
    bad = write_item(tmp_path, "Vital_Signs_Monitoring/easy/002")
    (bad / "item.json").write_text(added)
    suite = load_tasks(tmp_path)
    assert len(suite.tasks) == 1
    [defect] = suite.defects
    assert reason in defect.reason


def test_a_check_of_no_leaf_is_a_known_fault(tmp_path: Path) -> None:
    path = write_item(tmp_path)
    (path / "item.json").write_text('{"checks": {"sql:nothing": {"kind": "sex", "value": "F"}}}')
    [known] = load_tasks(tmp_path).known
    assert "the rubrics have no leaf sql:nothing" in known.reason


def deep(levels: int) -> dict[str, Any]:
    node = leaf("deepest", "Only women are kept.")
    for level in range(levels):
        node = {"id": f"n{level}", "requirements": "A group.", "sub_tasks": [node]}
    return node


@pytest.mark.parametrize(
    ("rubric", "reason"),
    [
        ({"id": "r", "requirements": "All.", "sub_tasks": {}}, "sub_tasks that are not a list"),
        (deep(100), "more than 64 levels"),
        ([], "is not a JSON object"),
    ],
)
def test_a_rubric_that_is_no_tree_is_a_defect(tmp_path: Path, rubric: Any, reason: str) -> None:
    write_item(tmp_path)
    write_item(tmp_path, "Vital_Signs_Monitoring/easy/002", sql_rubric=rubric)
    [defect] = load_tasks(tmp_path).defects
    assert reason in defect.reason
