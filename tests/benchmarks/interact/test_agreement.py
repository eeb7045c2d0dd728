"""`wardround agreement interact`: what agents achieve with people and with simulated users."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.apps.commands import Cli
from tests.benchmarks.interact.runs import write_run
from wardround.benchmarks.interact.agreement import chance

PASSED = {"agent-a": "1111", "agent-b": "1100", "agent-c": "0000"}


def write_people(path: Path, passed: dict[str, str]) -> Path:
    lines = [
        {"system": name, "task": f"t{number}", "passed": mark == "1"}
        for name, marks in passed.items()
        for number, mark in enumerate(marks)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def tables(printed: str) -> dict[str, list[dict[str, Any]]]:
    return {name: table["rows"] for name, table in json.loads(printed)["tables"].items()}


def test_systems_are_ranked_by_people_as_by_simulated_users(cli: Cli, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, name, marks) for name, marks in PASSED.items()]
    people = write_people(tmp_path / "people.jsonl", {**PASSED, "agent-b": "1110"})
    done = cli("agreement", "interact", *runs, "--human", people, "--json")
    assert done.code == 0, done.err
    rows = {row["System"]: row for row in tables(done.out)["people"]}
    assert rows["agent-a"]["Agreed"] == 100.0
    assert (rows["agent-b"]["Passed, people"], rows["agent-b"]["Passed, simulator"]) == (75.0, 50.0)
    assert (rows["agent-b"]["Agreed"], rows["agent-b"]["Kappa"]) == (75.0, 0.5)
    [row] = tables(done.out)["table_3"]
    assert (row["Simulator"], row["Systems"], row["Pearson"]) == ("without a model", 3, 0.96)


def test_two_systems_have_no_correlation(cli: Cli, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, name, PASSED[name]) for name in ("agent-a", "agent-b")]
    people = write_people(tmp_path / "people.jsonl", PASSED)
    done = cli("agreement", "interact", *runs, "--human", people, "--json")
    assert tables(done.out)["table_3"] == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"task": "t0"}\n', "line 1: passed: Field required; fix the line"),
        ('{"task": "t0", "passed": true, "system": "agent-z"}\n', "no trial of the system"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    cli: Cli, tmp_path: Path, lines: str, message: str
) -> None:
    (tmp_path / "people.jsonl").write_text(lines)
    run = write_run(tmp_path / "agent-a", "agent-a", "10")
    done = cli("agreement", run, "--human", tmp_path / "people.jsonl")
    assert done.code == 2
    assert message in done.err


def test_chance_is_the_share_of_orders_at_least_as_far() -> None:
    assert chance([1, 2, 3, 4], [4, 3, 2, 1]) == 2 / 24
