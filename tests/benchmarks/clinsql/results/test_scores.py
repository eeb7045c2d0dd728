"""`wardround score clinsql`: published folders, runs beside them, and the published form out."""

import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.apps.commands import Cli
from tests.benchmarks.clinsql.item_samples import GOLD, write_item
from tests.benchmarks.clinsql.results.samples import (
    ITEM,
    OTHER,
    PLACEHOLDER,
    sample,
    write_grades,
    write_submission,
)
from wardround.benchmarks.clinsql.declaration import ScoreOptions
from wardround.benchmarks.clinsql.gold import sql_grader
from wardround.benchmarks.clinsql.results.models import read_models
from wardround.benchmarks.clinsql.results.scores import score
from wardround.core.work import WorkContext
from wardround.models.client import LanguageModel, scripted
from wardround.models.messages import Reply


@pytest.fixture(autouse=True)
def small_hospitals(irregular_hospitals: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare queries on forty people instead of a thousand."""
    monkeypatch.setattr(sql_grader, "cohort_hospitals", lambda: irregular_hospitals)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_item(folder / "splits" / "test", ITEM)
    write_item(folder / "splits" / "test", OTHER)
    return folder


def rows(printed: str, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads(printed)["tables"][table]["rows"]
    return found


def lower(printed: str, grading: str) -> tuple[float | None, float | None]:
    [row] = [
        row
        for row in rows(printed, "scores")
        if (row["Grading"], row["Bound"]) == (grading, "lower")
    ]
    return row["all SQL"], row["all Exec"]


def lower_rows(printed: str) -> list[dict[str, Any]]:
    wanted = ("paper", "lower")
    return [r for r in rows(printed, "table_4") if (r["Grading"], r["Bound"]) == wanted]


def test_published_verdicts_are_folded_in_every_grading(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_submission(tmp_path, result=PLACEHOLDER, errors=("No.",) * 3, rows=-1)
    failed = ("age", "csv-file-exists", "column", "plausible")
    write_grades(tmp_path, [sample(failed=failed, scores=(0.0, 0.0))])
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert scored.code == 0
    assert lower(scored.out, "paper") == (0.0, 0.0)
    assert lower(scored.out, "paper-17") == (0.0, 16.67)
    assert lower(scored.out, "strict") == (0.0, 0.0)
    [published] = rows(scored.out, "published")
    assert (published["Samples"], published["Same score"]) == (1, 1)
    assert f"a-model lacks 1 of 2 items: {OTHER}" in scored.err
    [error] = rows(scored.out, "errors")
    assert error["Class"] == "execution error"


def test_a_score_that_differs_from_the_fold_is_named(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_grades(tmp_path, [sample(scores=(0.5, 1.0)), sample(OTHER)])
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert f"a-model/{ITEM}: sql: published 0.5, folded 1" in scored.err
    [published] = rows(scored.out, "published")
    assert (published["Same score"], published["Other score"]) == (1, 1)


def test_models_stand_beside_each_other_on_common_items(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_grades(tmp_path, [sample(), sample(OTHER)], "a-model")
    write_grades(tmp_path, [sample(OTHER, ("sex",), scores=(0.0, 1.0))], "b-model")
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert orjson.loads(scored.out)["items"] == [OTHER]
    table = lower_rows(scored.out)
    assert [(row["Run"], row["Rank"], row["test all SQL"]) for row in table] == [
        ("a-model", 1.0, 100.0),
        ("b-model", 2.0, 0.0),
    ]
    assert f"b-model lacks 1 of 2 items: {ITEM}" in scored.err


def test_options_choose_items(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_grades(tmp_path, [sample(), sample(OTHER)])
    options = ("--tasks", data, "--json")
    scored = cli("score", "clinsql", tmp_path / "outputs", *options, "--level", "hard")
    assert orjson.loads(scored.out)["items"] == [OTHER]
    none = cli("score", "clinsql", tmp_path / "outputs", *options, "--split", "validation")
    assert none.code == 2


def test_programs_decide_published_results_without_a_database(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_submission(tmp_path)
    write_submission(tmp_path, id=OTHER, result="admissions,mean_los_days\n5000,4.5\n")
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert scored.code == 0
    assert lower(scored.out, "strict") == (None, 66.67)
    assert "a-model has no verdicts on queries of 2 items; --database lets" in scored.err
    assert OTHER in {row["Item"] for row in rows(scored.out, "failed_examples")}
    [shown] = rows(scored.out, "failed_items")
    assert (shown["Model"], shown["Item"]) == ("a-model", OTHER)
    assert shown["Failed requirements"] == "Admissions lie between 1 and 1000."
    assert (shown["Result"], shown["Gold result"]) == (
        "admissions,mean_los_days\n5000,4.5",
        "admissions,mean_los_days\n10,4.5",
    )


def test_programs_come_before_published_verdicts_in_strict_only(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_submission(tmp_path, result="admissions,mean_los_days\n5000,4.5\n")
    write_grades(tmp_path, [sample()])
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert lower(scored.out, "paper") == (100.0, 100.0)
    assert lower(scored.out, "strict") == (100.0, 33.33)


def test_queries_without_verdicts_run_on_a_database(
    cli: Cli, tmp_path: Path, data: Path, hospital: Path
) -> None:
    write_submission(tmp_path)
    options = ("--tasks", data, "--level", "easy", "--database", hospital, "--json")
    scored = cli("score", "clinsql", tmp_path / "outputs", *options)
    assert scored.code == 0, scored.err
    # The result of the hospital's few patients is another one, and does not count.
    assert lower(scored.out, "strict")[1] == 100.0


class ScriptedJudge:
    """The models of a command, with a judge that passes every leaf."""

    closed = False

    def open(self, role: str) -> LanguageModel:
        return scripted(lambda messages, tools: Reply("Score: 1\nExplanation: It is so."))

    def find(self, role: str) -> LanguageModel:
        return self.open(role)

    async def close(self) -> None:
        self.closed = True


def test_a_judge_grades_submissions_without_verdicts_only(
    tmp_path: Path, data: Path, hospital: Path
) -> None:
    write_submission(tmp_path)
    write_submission(tmp_path, id=OTHER)
    write_grades(tmp_path, [sample(OTHER, ("sex",), scores=(0.0, 1.0))])
    options = ScoreOptions(
        folders=(tmp_path / "outputs",),
        tasks=data,
        database=str(hospital),
        grading="paper",
        judge_sees_data=True,
    )
    models = ScriptedJudge()
    scored = score(options, WorkContext(models)).summary.tables["scores"]
    [row] = [row for row in scored.rows if row[:2] == ("paper", "lower")]
    assert dict(zip(scored.columns, row, strict=True))["all SQL"] == 50.0
    assert models.closed


def test_a_run_is_written_as_published_and_read_back(
    cli: Cli, tmp_path: Path, data: Path, hospital: Path
) -> None:
    run, to = tmp_path / "run", tmp_path / "written"
    started = ("--tasks", data, "--database", hospital, "--agent", "oracle", "--out", run)
    assert cli("run", "clinsql", "--no-cohort-hospitals", *started).code in (0, 1)
    options = ("--tasks", data, "--database", hospital)
    written = cli("score", "clinsql", "--run", run, *options, "--to", to, "--json")
    assert written.code == 0, written.err
    [model] = read_models([to]).models
    assert model.items == [OTHER, ITEM]
    assert {each.sql for each in model.submissions.values()} == {GOLD}
    again = cli("score", "clinsql", to, "--run", run, *options, "--json")
    table = lower_rows(again.out)
    assert [row["test all Exec"] for row in table] == [table[0]["test all Exec"]] * 2


def test_writing_read_grades_gives_equal_grades(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_submission(tmp_path, errors=("No.",))
    write_grades(tmp_path, [sample(failed=("plausible",), scores=(1.0, 1 / 3))])
    to = tmp_path / "written"
    cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--to", to)
    [before], [after] = read_models([tmp_path / "outputs"]).models, read_models([to]).models
    assert after.submissions == before.submissions
    assert after.samples[ITEM].grades == before.samples[ITEM].grades
    assert after.samples[ITEM].scores == pytest.approx(before.samples[ITEM].scores, abs=1e-6)


def test_grades_without_submissions_tell_nothing_of_attempts(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_grades(tmp_path, [sample(), sample(OTHER)])
    to = tmp_path / "written"
    options = ("--tasks", data, "--to", to, "--json")
    scored = cli("score", "clinsql", tmp_path / "outputs", *options)
    assert {row["Success"] for row in rows(scored.out, "attempts")} == {None}
    [model] = read_models([to]).models
    assert (len(model.submissions), len(model.samples)) == (0, 2)


def test_something_to_score_is_needed(cli: Cli, data: Path) -> None:
    assert "name a published folder, or a run" in cli("score", "clinsql", "--tasks", data).err


def test_the_published_scores_are_the_fold_of_the_published_verdicts(cli: Cli) -> None:
    """`WARDROUND_CLINSQL` names the folder of items, which has the outputs beside or above it."""
    if "WARDROUND_CLINSQL" not in os.environ:
        pytest.skip("WARDROUND_CLINSQL names no published folder")
    items = Path(os.environ["WARDROUND_CLINSQL"])
    graded = [each / "outputs" / "evaluation" for each in (items, *items.parents)]
    folder = next(filter(Path.is_dir, graded), None)
    if folder is None:
        pytest.skip("the published folder has no outputs/evaluation")
    scored = cli("score", "clinsql", folder, "--tasks", items, "--split", "validation", "--json")
    assert {row["Other score"] for row in rows(scored.out, "published")} == {0}


def test_an_item_that_nobody_graded_counts_in_no_mean(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_submission(tmp_path)
    write_submission(tmp_path, id=OTHER)
    write_grades(tmp_path, [sample()])
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert lower(scored.out, "paper") == (100.0, 100.0)
    assert "a-model has no published grades of 1 items, which are left out" in scored.err
    assert OTHER in scored.err


def test_published_scores_stand_where_no_leafs_grade_is_published(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    folder = write_grades(tmp_path, [sample(scores=(0.4, 0.7)), sample(OTHER, scores=(0.2, 0.5))])
    (folder / "detailed_grading.json").unlink()
    scored = cli("score", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    assert lower(scored.out, "paper") == (30.0, 60.0)
    assert lower(scored.out, "strict") == (None, None)
    note = orjson.loads(scored.out)["tables"]["scores"]["note"]
    assert "no verdict bounds a score" in note
