"""`wardround people guard` on the command line."""

import json
from pathlib import Path

import pytest

from tests.apps.commands import Cli


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_reply_is_written_to_a_file(cli: Cli) -> None:
    ran = cli("people", "guard", "interact", "--limit", 6, "--replies", "replies.jsonl", "--json")
    assert ran.code == 0
    replies = [json.loads(line) for line in Path("replies.jsonl").read_text().splitlines()]
    assert len(replies) == 6
    assert {reply["category"] for reply in replies} == {"AMB", "LOC"}
    for reply in replies:
        assert reply["action"].startswith(reply["category"]) == reply["right"]
        assert reply["reply"]


def test_an_existing_file_of_replies_is_not_overwritten(cli: Cli) -> None:
    Path("replies.jsonl").write_text("mine")
    ran = cli("people", "guard", "interact", "--limit", 1, "--replies", "replies.jsonl")
    assert ran.code == 2
    assert "replies.jsonl already exists" in ran.err
    assert Path("replies.jsonl").read_text() == "mine"
