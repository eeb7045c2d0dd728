"""Published verdict files of both graders, and their defects."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.clinsql.item_samples import item
from tests.benchmarks.clinsql.results.samples import ITEM, sample, write_grades
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.results.verdict_files import Sample, read_samples


@pytest.fixture
def task(tmp_path: Path) -> ClinTask:
    return item(tmp_path / "items")


def read(folder: Path, *samples: dict[str, Any]) -> Sample:
    write_grades(folder, list(samples))
    found = read_samples(folder)
    assert found.defects == ()
    return found.by_model["a-model"][ITEM]


def test_leaves_become_verdicts_that_fold_to_the_published_scores(
    tmp_path: Path, task: ClinTask
) -> None:
    found = read(tmp_path, sample(failed=("age", "column"), scores=(0.0, 5 / 6)))
    assert found.split == "test"
    assert list(found.differences(task)) == []
    states = {verdict.item: verdict.state for verdict in found.verdicts(task, "a-model")}
    assert states["sql:age"] == states["results:column"] == "failed"
    assert states["sql:sex"] == states["results:plausible"] == "passed"
    assert {verdict.source for verdict in found.verdicts(task, "a-model")} == {"file:a-model"}


def test_inner_nodes_are_folded_again_and_compared(tmp_path: Path, task: ClinTask) -> None:
    inner = {"sql": {"patient-cohort-construction": 0.5}}
    found = read(tmp_path, sample(inner=inner))
    assert list(found.differences(task)) == [
        "sql, node patient-cohort-construction: published 0.5, folded 1"
    ]
    assert len(found.verdicts(task, "a-model")) == 5


def test_a_different_score_and_an_unknown_node_are_named(tmp_path: Path, task: ClinTask) -> None:
    found = read(tmp_path, sample(scores=(0.25, 1.0), inner={"results": {"gone": 1.0}}))
    assert list(found.differences(task)) == [
        "sql: published 0.25, folded 1",
        "results: node gone is not in the rubric",
    ]


def test_a_failed_call_of_the_judge_is_undecided(tmp_path: Path, task: ClinTask) -> None:
    found = read(tmp_path, sample(explanation="Error code: 429, rate limit of 10"))
    verdicts = found.verdicts(task, "a-model")
    assert {verdict.state for verdict in verdicts} == {"undecided"}


def test_mere_scores_are_read_without_verdicts(tmp_path: Path, task: ClinTask) -> None:
    path = write_grades(tmp_path, [sample(scores=(0.5, 0.25))])
    (path / "detailed_grading.json").unlink()
    found = read_samples(tmp_path).by_model["a-model"][ITEM]
    assert found.scores == {"sql": 0.5, "results": 0.25}
    assert found.verdicts(task, "a-model") == []
    assert list(found.differences(task)) == []


def test_damaged_samples_and_files_are_named(tmp_path: Path) -> None:
    damaged = [sample(), sample(), {"sample_path": "here"}, "no object"]
    path = write_grades(tmp_path, [])
    (path / "detailed_grading.json").write_text(json.dumps({"detailed_evaluations": damaged}))
    other = write_grades(tmp_path, [], model="b-model")
    (other / "detailed_grading.json").write_text("[")
    found = read_samples(tmp_path)
    assert [*found.by_model["a-model"]] == [ITEM]
    assert len(found.defects) == 4
