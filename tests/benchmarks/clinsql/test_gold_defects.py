"""Faults of golds that show without a database."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.items import GOLD, item
from wardround.benchmarks.clinsql.gold_defects import gold_defects
from wardround.benchmarks.clinsql.result_files import read_csv

DOTTED = f"{GOLD} AND a.hadm_id IN (SELECT hadm_id FROM diagnoses_icd WHERE icd_code LIKE '577.0%')"


def causes(task: object) -> list[str]:
    return [defect.cause for defect in gold_defects(task)]  # type: ignore[arg-type]


def test_a_gold_that_keeps_its_own_rubric_has_none(tmp_path: Path) -> None:
    assert causes(item(tmp_path)) == []


def test_codes_with_a_dot_match_nothing(tmp_path: Path) -> None:
    task = item(tmp_path)
    task = replace(task, hidden=replace(task.hidden, sql=DOTTED))
    assert causes(task) == ["its gold compares ICD codes with a dot, which match no stored code"]


def test_an_undotted_code_is_no_fault(tmp_path: Path) -> None:
    task = item(tmp_path)
    task = replace(task, hidden=replace(task.hidden, sql=DOTTED.replace("577.0", "5770")))
    assert causes(task) == []


@pytest.mark.parametrize(
    ("result", "cause"),
    [
        ("admissions,mean_los_days\n10,\n", "its gold result has empty cells"),
        ("admissions,mean_los_days\n2000,4.5\n", "its gold result lies outside its own band"),
        ("days,mean_los_days\n10,4.5\n", "its gold result fails a leaf of its own"),
    ],
)
def test_a_result_that_fails_its_rubric_is_named(tmp_path: Path, result: str, cause: str) -> None:
    task = item(tmp_path)
    hidden = replace(task.hidden, result=read_csv(result, "result.csv"))
    assert cause in causes(replace(task, hidden=hidden))
