"""Faults of golds that show without a database."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.clinsql.item_samples import GOLD, item
from wardround.benchmarks.clinsql.gold.defects import (
    gold_defects,
    gold_review,
    unusable_checks,
    unused_checks,
)
from wardround.benchmarks.clinsql.items.checks import read_check
from wardround.benchmarks.clinsql.items.compiled_checks import Reading
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.items.result_files import read_csv
from wardround.core.record import Outcome

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


def with_reading(task: ClinTask, item: str, check: dict[str, Any]) -> ClinTask:
    tree, _, id = item.partition(":")
    rubric = task.hidden.rubric("sql" if tree == "sql" else "results")
    [sentence] = [leaf.requirement for leaf in rubric.leaves() if leaf.id == id]
    reading = Reading(requirement=sentence, by="me", check=read_check(check, "here"))
    return replace(task, hidden=replace(task.hidden, readings={item: reading}))


@pytest.mark.parametrize(
    ("item_id", "check", "reason"),
    [
        ("sql:age", {"kind": "age", "low": 55, "high": 65}, ""),
        ("sql:age", {"kind": "age", "low": 55, "high": 70}, "no number 70"),
        ("sql:age", {"kind": "sex", "value": "M"}, "the gold fails it: the query keeps F"),
        ("sql:sex", {"kind": "tables", "names": ["people"]}, "no table people"),
        ("sql:sex", {"kind": "group_by", "columns": ["sex"]}, "no column sex"),
        ("sql:sex", {"kind": "codes", "patterns": ["I21%"]}, "no text i21%"),
        ("sql:sex", {"kind": "file_exists"}, "a check of results on a leaf of the sql rubric"),
        ("results:column", {"kind": "sex", "value": "F"}, "a check of queries on a leaf of the"),
        (
            "results:plausible",
            {"kind": "in_range", "column": {"names": ["admissions"]}, "low": 55},
            "the gold fails it: admissions holds 10 to 10",
        ),
    ],
)
def test_a_stored_check_that_cannot_be_right_is_named(
    tmp_path: Path, item_id: str, check: dict[str, Any], reason: str
) -> None:
    task = with_reading(item(tmp_path), item_id, check)
    found = list(unusable_checks(task))
    assert len(found) == bool(reason)
    assert all("checks.json holds a check that cannot be right" in each.reason for each in found)
    assert all(f"{item_id}, " in each.reason and reason in each.reason for each in found)
    assert gold_review(task, Outcome.PASSED, "").errors == tuple(found)


def test_a_stored_check_beside_the_grammars_is_named(tmp_path: Path) -> None:
    task = with_reading(item(tmp_path), "sql:age", {"kind": "age", "low": 55, "high": 65})
    [found] = unused_checks(task)
    assert "sql:age" in found.reason
