"""Tasks from the ward are played in an assessment, as a group of their own."""

import json
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.hospitals import hospital_file
from wardround.assessment import suites
from wardround.core.errors import UserError

PATIENTS = 80
SMALL = ("--agent", "oracle", "--tasks", "2", "--trials", "1", "--seed", "0")


def hospital() -> Path:
    return hospital_file("mimic_iv_star", PATIENTS, seed=5, ending="sqlite")


def ward_tasks(path: Path) -> Path:
    """A file with one task that a person accepted."""
    sql = "SELECT COUNT(*) FROM demographics"
    task = {
        "task_id": "ward",
        "task_type": "incre",
        "db_id": "mimic_iv_star",
        "instruction": 'Your goal is to ask "How many patients?".',
        "gold_sql": sql,
        "gold_answer": [[PATIENTS]],
    }
    path.write_text(json.dumps(task) + "\n")
    return path


def test_tasks_from_the_ward_are_a_group_of_their_own(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = {"chatqa": suites.suite_makers()["chatqa"]}
    monkeypatch.setattr(suites, "suite_makers", lambda: only)
    tasks, out = ward_tasks(tmp_path / "ward.jsonl"), tmp_path / "out"
    line = ("assess", hospital(), *SMALL, "--also", f"chatqa={tasks}", "--out", out, "--json")
    ran = cli(*line)
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["tables"]["benchmarks"]["rows"]
    figures = {row["Benchmark"]: (row["Tasks"], row["Pass^1"]) for row in rows}
    assert figures["chatqa, from the ward"] == (1, 100.0)
    assert "chatqa" in figures
    assert (out / "chatqa-from-the-ward.html").exists()
    assert 'href="chatqa-from-the-ward.html"' in (out / "index.html").read_text("utf-8")
    assert cli(*line).out == ran.out


@pytest.mark.parametrize(
    ("also", "reason"),
    [
        (["chatqa=missing.jsonl"], "names no file of tasks"),
        (["ward.jsonl"], "names no file of tasks"),
        (["chatqa=ward.jsonl", "chatqa=ward.jsonl"], "names a benchmark twice"),
    ],
)
def test_more_tasks_that_cannot_be_played_are_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, also: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ward_tasks(tmp_path / "ward.jsonl")
    named = [part for each in also for part in ("--also", each)]
    refused = cli("assess", hospital(), *SMALL, *named, "--out", tmp_path / "out")
    assert refused.code == 2
    assert reason in refused.err


def test_tasks_of_a_benchmark_without_a_made_suite_are_refused() -> None:
    with pytest.raises(UserError, match="no tasks of 'nothing' are made"):
        suites.named_suite("nothing", Path("ward.jsonl"), ())
