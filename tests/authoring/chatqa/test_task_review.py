"""`tasks review chatqa`: sign-off of tasks, and flags from runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.apps.commands import Cli
from tests.records import trial_record
from wardround.core.record import Outcome
from wardround.core.run_writer import new_run

TASKS = [
    {
        "task_id": str(number),
        "task_type": "incre",
        "db_id": "ward",
        "instruction": f"Your goal is to count beds. You want the number on floor {number}.",
        "gold_sql": f"SELECT COUNT(*) FROM beds WHERE floor = {number}",
        "gold_answer": [[number]],
    }
    for number in (1, 2, 3)
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The tasks, a review file and a file for the signed tasks."""
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(map(json.dumps, TASKS)))
    return tasks, tmp_path / "review.jsonl", tmp_path / "signed.jsonl"


def write_run(folder: Path, outcomes: dict[str, str]) -> Path:
    """A run with trials of tasks, passed where the mark is "1"."""
    with new_run(folder, {"settings": {"benchmark": "chatqa", "options": {}}}) as writer:
        for task, marks in outcomes.items():
            for number, mark in enumerate(marks):
                outcome = Outcome.PASSED if mark == "1" else Outcome.FAILED
                writer.add_trial(trial_record(f"ward-incre-{task}", number, outcome))
    return folder


def decide(review: Path, **decisions: dict[str, str]) -> None:
    """Writes decisions of a person into a review file."""
    lines = [json.loads(line) for line in review.read_text().splitlines()]
    changed = [{**line, **decisions.get(f"task_{line['id'][-1]}", {})} for line in lines]
    review.write_text("".join(json.dumps(line) + "\n" for line in changed))


def test_only_signed_tasks_are_written(cli: Cli, files: tuple[Path, Path, Path]) -> None:
    tasks, review, signed = files
    line = ("tasks", "review", "chatqa", "--tasks", tasks, "--review", review, "--to", signed)
    assert cli(*line).code == 0
    assert signed.read_text() == ""
    decide(
        review,
        task_1={"decision": "accept", "by": "ann"},
        task_2={"decision": "strike", "by": "ann"},
    )
    again = cli(*line)
    assert "1 signed tasks written" in again.out
    assert [json.loads(each) for each in signed.read_text().splitlines()] == TASKS[:1]


@pytest.mark.parametrize(
    "change", [{"instruction": "Your goal is another one."}, {"gold_answer": [[99]]}]
)
def test_a_task_that_changed_is_not_signed(
    cli: Cli, files: tuple[Path, Path, Path], change: dict[str, object]
) -> None:
    tasks, review, signed = files
    line = ("tasks", "review", "chatqa", "--tasks", tasks, "--review", review, "--to", signed)
    cli(*line)
    decide(review, task_1={"decision": "accept", "by": "ann"})
    tasks.write_text(json.dumps({**TASKS[0], **change}))
    assert "0 signed tasks written" in cli(*line).out


def test_a_decision_needs_a_name(cli: Cli, files: tuple[Path, Path, Path]) -> None:
    tasks, review, _ = files
    line = ("tasks", "review", "chatqa", "--tasks", tasks, "--review", review)
    cli(*line)
    decide(review, task_3={"decision": "accept"})
    refused = cli(*line)
    assert refused.code == 2
    assert "line 3: is decided by nobody" in refused.err


def test_tasks_that_all_agents_fail_or_pass_are_flagged(
    cli: Cli, files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    tasks, review, _ = files
    runs = [
        write_run(tmp_path / "a", {"1": "00", "2": "11", "3": "10"}),
        write_run(tmp_path / "b", {"1": "0", "2": "1", "3": "1"}),
    ]
    line = ("tasks", "review", "chatqa", "--tasks", tasks, "--review", review)
    done = cli(*line, "--run", runs[0], "--run", runs[1], "--json")
    rows: list[dict[str, Any]] = json.loads(done.out)["tables"]["flags"]["rows"]
    assert {row["task"]: row["flag"] for row in rows} == {
        "ward-incre-1": "every agent fails it",
        "ward-incre-2": "every agent passes it",
    }
    flags = [json.loads(each)["detail"].get("flag", "") for each in review.read_text().splitlines()]
    assert flags == ["every agent fails it", "every agent passes it", ""]


def test_a_signed_task_is_flagged_too(
    cli: Cli, files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    tasks, review, signed = files
    line = ("tasks", "review", "chatqa", "--tasks", tasks, "--review", review, "--to", signed)
    cli(*line)
    decide(review, task_1={"decision": "accept", "by": "ann"})
    done = cli(*line, "--run", write_run(tmp_path / "a", {"1": "00"}), "--json")
    rows: list[dict[str, Any]] = json.loads(done.out)["tables"]["flags"]["rows"]
    assert [row["task"] for row in rows] == ["ward-incre-1"]
    assert [json.loads(each) for each in signed.read_text().splitlines()] == TASKS[:1]
