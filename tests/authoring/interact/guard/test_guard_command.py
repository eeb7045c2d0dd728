"""`wardround people guard` as its users meet it."""

import json
from pathlib import Path

import pytest

from tests.apps.commands import Cli


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_replies_are_kept_beside_the_table(cli: Cli) -> None:
    ran = cli("people", "guard", "interact", "--limit", 6, "--replies", "replies.jsonl", "--json")
    assert ran.code == 0
    kept = [json.loads(line) for line in Path("replies.jsonl").read_text().splitlines()]
    assert len(kept) == 6
    assert {one["category"] for one in kept} == {"AMB", "LOC"}
    for one in kept:
        assert one["action"].startswith(one["category"]) == one["right"]
        assert one["reply"]


def test_replies_that_are_there_are_not_written_over(cli: Cli) -> None:
    Path("replies.jsonl").write_text("mine")
    ran = cli("people", "guard", "interact", "--limit", 1, "--replies", "replies.jsonl")
    assert ran.code == 2
    assert "replies.jsonl is there already" in ran.err
    assert Path("replies.jsonl").read_text() == "mine"
