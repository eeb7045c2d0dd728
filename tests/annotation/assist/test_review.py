"""Readers' decisions on sheets are counted and compared; implausible sessions are named."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from wardround.annotation.assist.declaration import SheetOptions
from wardround.annotation.assist.review import COLUMNS, QUESTIONS
from wardround.annotation.assist.sheet import write
from wardround.benchmarks.kit.sheets import read_sheet, write_sheet
from wardround.core.work import WorkContext

READ = ("Entry ID", "Turn", "Gold calls", *COLUMNS)
YES = dict.fromkeys(QUESTIONS, "yes")
Sheet = list[dict[str, str]]


@pytest.fixture
def rows(tmp_path: Path) -> Sheet:
    """The turns of a sheet of sampled sessions."""
    path = tmp_path / "empty.csv"
    write(SheetOptions(sheet=path), WorkContext(None))
    return [dict(row.cells) for row in read_sheet(path, READ)]


def filled(path: Path, rows: Sheet, decisions: Mapping[int, Mapping[str, str]]) -> Path:
    """A sheet with the decisions of a reader on some rows."""
    read = [{**row, **decisions.get(number, {})} for number, row in enumerate(rows)]
    write_sheet(path, READ, [[row[name] for name in READ] for row in read])
    return path


def test_the_sheet_shows_the_gold_calls_of_a_turn(rows: Sheet) -> None:
    assert all(row["Gold calls"] for row in rows)
    assert any('"medication":' in row["Gold calls"] for row in rows)


def test_readers_are_compared_and_implausible_sessions_named(
    cli: Cli, tmp_path: Path, rows: Sheet
) -> None:
    no = {**YES, "plausible": "no", "comment": "no such dose"}
    anna = filled(tmp_path / "anna.csv", rows, {0: YES, 1: YES, 2: no})
    ben = filled(tmp_path / "ben.csv", rows, {0: YES, 1: {**YES, "type_ok": "no"}, 2: no, 3: YES})
    checked = cli("tasks", "review", "assist", anna, ben)
    assert checked.code == 1
    assert rows[2]["Entry ID"] in checked.out
    made = json.loads(cli("tasks", "review", "assist", anna, ben, "--json").out)
    rows_of = made["tables"]["agreement"]["rows"]
    agreed = {row["Question"]: [row["Turns"], row["Agreement"]] for row in rows_of}
    assert agreed == {
        "plausible": [3, 100.0], "type_ok": [3, 66.7], "rubric_ok": [3, 100.0],
        "calls_ok": [3, 100.0], "all": [12, 91.7],
    }  # fmt: skip


def test_plausible_sessions_pass(cli: Cli, tmp_path: Path, rows: Sheet) -> None:
    anna = filled(tmp_path / "anna.csv", rows, dict.fromkeys(range(len(rows)), YES))
    checked = cli("tasks", "review", "assist", anna)
    assert checked.code == 0
    assert "0 sessions are implausible." in checked.out


def test_sheets_without_decisions_are_refused(cli: Cli, tmp_path: Path, rows: Sheet) -> None:
    checked = cli("tasks", "review", "assist", filled(tmp_path / "anna.csv", rows, {}))
    assert checked.code == 2
    assert "No sheet has a decision; write yes or no under plausible, type_ok" in checked.err
