"""Submissions in both published forms, and their defects."""

from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import write_item
from tests.benchmarks.clinsql.results.samples import ITEM, OTHER, PLACEHOLDER, write_submission
from wardround.benchmarks.clinsql.results.runs import NO_QUERY, read_submissions
from wardround.benchmarks.clinsql.tools import attempts
from wardround.core.errors import UserError


@pytest.mark.parametrize("form", ["summary", "attempts"])
def test_both_forms_tell_attempts_and_result(tmp_path: Path, form: str) -> None:
    write_submission(tmp_path, form=form, errors=("Syntax error.",), sql="SELECT 2")
    [submission] = read_submissions(tmp_path).by_model["a-model"].values()
    assert (submission.item, submission.split, submission.sql) == (ITEM, "test", "SELECT 2")
    assert [attempt.succeeded for attempt in submission.attempts] == [False, True]
    assert submission.gave_rows
    made = attempts(submission.trajectory())
    assert [attempt.succeeded for attempt in made] == [False, True]
    assert made[-1].sql == "SELECT 2"


def test_a_placeholder_is_no_result(tmp_path: Path) -> None:
    write_submission(tmp_path, result=PLACEHOLDER, errors=("No.", "No.", "No."), rows=-1)
    write_submission(tmp_path, id=OTHER, result=PLACEHOLDER, rows=0)
    failed, empty = read_submissions(tmp_path).by_model["a-model"].values()
    failed, empty = sorted((failed, empty), key=lambda each: len(each.attempts), reverse=True)
    assert failed.result.is_placeholder
    assert not failed.gave_rows
    assert [attempt.succeeded for attempt in empty.attempts] == [True]
    assert not empty.gave_rows


def test_models_and_splits_stand_beside_folders_of_items(tmp_path: Path) -> None:
    write_item(tmp_path / "data" / "splits" / "test")
    write_item(tmp_path / "data" / "benchmark")
    write_submission(tmp_path, "a-model")
    write_submission(tmp_path, "b-model", OTHER, split="validation")
    found = read_submissions(tmp_path).by_model
    assert {name: [*items] for name, items in found.items()} == {
        "a-model": [ITEM],
        "b-model": [OTHER],
    }


def test_a_submission_without_query_or_summary_is_named(tmp_path: Path) -> None:
    (write_submission(tmp_path) / "sql_001.sql").unlink()
    write_submission(tmp_path, id=OTHER, form="none")
    found = read_submissions(tmp_path)
    assert found.by_model == {}
    assert sorted(defect.where for defect in found.defects) == [
        f"a-model/{OTHER}",
        f"a-model/{ITEM}",
    ]


def test_a_damaged_summary_or_result_is_named(tmp_path: Path) -> None:
    (write_submission(tmp_path) / "execution_summary.json").write_text("{")
    write_submission(tmp_path, id=OTHER, result="a,b\n1\n")
    assert len(read_submissions(tmp_path).defects) == 2


def test_a_missing_result_and_an_empty_query_do_not_stop_a_submission(tmp_path: Path) -> None:
    write_submission(tmp_path, sql="", result=None, errors=("No.",), rows=-1)
    [submission] = read_submissions(tmp_path).by_model["a-model"].values()
    assert submission.sql == NO_QUERY
    assert submission.result.is_placeholder


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_submissions(tmp_path / "none")
