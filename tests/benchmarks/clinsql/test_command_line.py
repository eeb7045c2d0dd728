"""ClinSQL through the command line, on a small hospital."""

from pathlib import Path

import orjson
import pytest

from tests.apps.commands import Cli
from tests.benchmarks.clinsql.items import GOLD, write_item


def test_the_oracle_runs_its_query_and_leaves_without_a_judge_give_bounds(
    cli: Cli, tmp_path: Path, hospital: Path
) -> None:
    write_item(tmp_path / "items" / "test")
    out = tmp_path / "run"
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--out", out, "--json")
    rows = orjson.loads(ran.out)["tables"]["scores"]["rows"]
    shown = {
        row["Bound"]: (row["all SQL"], row["all Exec"])
        for row in rows
        if row["Grading"] == "strict"
    }
    assert shown == {"lower": (0.0, 0.0), "upper": (100.0, 100.0)}


def test_a_judge_elsewhere_needs_leave_to_see_data(
    cli: Cli, tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    write_item(tmp_path / "items")
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--role-model", "judge=openai:gpt-4o-mini")
    assert ran.code == 2
    assert "allow it with --judge-sees-data" in ran.err


def test_options_choose_tasks(cli: Cli, tmp_path: Path, hospital: Path) -> None:
    write_item(tmp_path / "items")
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--level", "hard")
    assert ran.code == 2
    assert "has no item of level hard" in ran.err
    assert GOLD not in ran.err
