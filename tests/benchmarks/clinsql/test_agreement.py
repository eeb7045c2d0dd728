"""`wardround agreement`: raters against each other, by leaf and root."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.apps.commands import Cli
from tests.benchmarks.clinsql.item_samples import write_item
from tests.benchmarks.clinsql.results.samples import (
    ITEM,
    LEAVES,
    OTHER,
    sample,
    write_grades,
    write_submission,
)
from wardround.benchmarks.clinsql.tasks import SHIPPED
from wardround.core.run_writer import new_run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_item(tmp_path / "data" / "test", ITEM)
    write_item(tmp_path / "data" / "test", OTHER)
    return tmp_path / "data"


def write_human(path: Path, failed: tuple[str, ...] = (), person: str = "ann", **more: Any) -> Path:
    lines = [
        {"task": ITEM, "item": f"{tree}:{leaf}", "passed": leaf not in failed, "person": person}
        for tree, leaves in LEAVES.items()
        for leaf in leaves
    ]
    path.write_text("".join(json.dumps({**line, **more}) + "\n" for line in lines))
    return path


def pairs(printed: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads(printed)["tables"]["table_13"]["rows"]
    return found


def test_persons_are_compared_with_published_verdicts(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_grades(tmp_path, [sample(failed=("sex",)), sample(OTHER)])
    human = write_human(tmp_path / "human.jsonl", ("sex", "plausible"))
    done = cli(
        "agreement", "clinsql", tmp_path / "outputs", "--tasks", data, "--human", human, "--json"
    )
    assert done.code == 0, done.err
    [pair] = pairs(done.out)
    assert (pair["Rater"], pair["Rater 2"]) == ("published", "person:ann")
    assert (pair["Leaf SQL items"], pair["Leaf SQL"], pair["Leaf SQL kappa"]) == (2, 100.0, 1.0)
    assert (pair["Leaf results items"], pair["Leaf results"]) == (3, 66.7)
    assert (pair["Pass SQL"], pair["Pass results"]) == (100.0, 0.0)


def test_programs_are_compared_with_published_verdicts(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_submission(tmp_path, result="admissions,mean_los_days\n5000,4.5\n")
    write_grades(tmp_path, [sample()])
    done = cli("agreement", "clinsql", tmp_path / "outputs", "--tasks", data, "--json")
    [pair] = pairs(done.out)
    assert (pair["Rater"], pair["Rater 2"]) == ("published", "program:checks")
    assert (pair["Leaf results items"], pair["Leaf results"]) == (3, 66.7)
    assert (pair["Leaf SQL items"], pair["Pass results"]) == (0, 0.0)


def test_folders_of_one_model_are_raters_of_their_own(cli: Cli, tmp_path: Path, data: Path) -> None:
    for name, failed in (("a", ()), ("b", ("age",))):
        write_grades(tmp_path / name, [sample(failed=failed)])
    done = cli("agreement", "clinsql", tmp_path / "a", tmp_path / "b", "--tasks", data, "--json")
    [pair] = pairs(done.out)
    assert (pair["Leaf SQL"], pair["Leaf results"], pair["Pass SQL"]) == (50.0, 100.0, 0.0)


def test_a_runs_verdicts_are_compared_with_persons(
    cli: Cli, tmp_path: Path, data: Path, hospital: Path
) -> None:
    run = tmp_path / "run"
    options = ("--tasks", data, "--database", hospital, "--agent", "oracle", "--out", run)
    assert cli("run", "clinsql", "--no-cohort-hospitals", *options).code in (0, 1)
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    write_human(one, person="ann", model="oracle")
    write_human(two, ("age",), person="ben", model="oracle")
    one.write_text(one.read_text() + two.read_text())
    done = cli("agreement", run, "--human", one, "--json")
    assert done.code == 0, done.err
    named = {(pair["Rater"], pair["Rater 2"]): pair for pair in pairs(done.out)}
    assert named["person:ann", "person:ben"]["Leaf SQL"] == 50.0


def test_one_rater_a_missing_folder_and_a_wrong_line_are_named(
    cli: Cli, tmp_path: Path, data: Path
) -> None:
    write_grades(tmp_path, [sample()])
    options = (tmp_path / "outputs", "--tasks", data)
    assert "needs two raters" in cli("agreement", "clinsql", *options).err
    assert "does not exist" in cli("agreement", "clinsql", tmp_path / "none", "--tasks", data).err
    assert (
        "name the folder of items with --tasks"
        in cli("agreement", "clinsql", tmp_path / "outputs").err
    )
    assert "does not exist" in cli("agreement", "clinsql", tmp_path / "none").err
    human = tmp_path / "human.jsonl"
    human.write_text('{"task": 1}\n')
    assert (
        "human.jsonl, line 1: task: Input should be a valid string"
        in cli("agreement", "clinsql", *options, "--human", human).err
    )


def test_several_models_need_a_name_in_each_line(cli: Cli, tmp_path: Path, data: Path) -> None:
    write_grades(tmp_path, [sample()], "a-model")
    write_grades(tmp_path, [sample()], "b-model")
    human = write_human(tmp_path / "human.jsonl")
    done = cli("agreement", "clinsql", tmp_path / "outputs", "--tasks", data, "--human", human)
    assert "add one of a-model, b-model to each line" in done.err


def test_a_run_on_the_shipped_items_needs_no_folder_of_items(cli: Cli, tmp_path: Path) -> None:
    settings = {"benchmark": "clinsql", "agent": "oracle", "options": {}}
    with new_run(tmp_path / "run", {"settings": settings, "tasks": {"source": SHIPPED}}):
        pass
    assert "needs two raters, and there is none" in cli("agreement", tmp_path / "run").err
