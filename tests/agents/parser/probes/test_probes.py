"""The SQL of every probe runs, finds something, and hangs on the word that it should."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.agents.parser.probes.hospitals import make_hospital

FOLDER = Path(__file__).parent
SIZES = {
    "development": {"plain": 68, "word": 83, "unanswerable": 51},
    "plain_seen": {"plain": 31},
    "plain_unread": {"plain": 30},
    "final": {"plain": 40, "word": 50, "unanswerable": 30},
    "final_2": {"plain": 40, "word": 50, "unanswerable": 30},
    "final_3": {"plain": 14, "word": 15, "unanswerable": 11},
}


def read_probes(name: str) -> list[dict[str, str]]:
    """Lines of `development.jsonl`, `final.jsonl` and so on."""
    lines = (FOLDER / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


PROBES = [probe for name in SIZES for probe in read_probes(name)]


@pytest.mark.parametrize("hospital", ["iv", "star", "eicu"])
def test_sql_of_probes_hangs_on_their_word(hospital: str) -> None:
    database = sqlite3.connect(make_hospital(hospital))
    for probe in PROBES:
        if probe["hospital"] == hospital and probe["sql"] != "refuse":
            rows = _rows(database, probe["sql"])
            assert any(value for row in rows for value in row), probe
            if probe["kind"] == "word":
                assert rows != _rows(database, probe["without"]), probe
    database.close()


def _rows(database: sqlite3.Connection, sql: str) -> list[Any]:
    return sorted(database.execute(sql).fetchall(), key=str)


@pytest.mark.parametrize("name", SIZES)
def test_probes_have_the_agreed_kinds(name: str) -> None:
    kinds = [probe["kind"] for probe in read_probes(name)]
    assert {kind: kinds.count(kind) for kind in kinds} == SIZES[name]


def test_no_probe_is_in_two_files() -> None:
    asked = [(probe["hospital"], probe["question"]) for probe in PROBES]
    assert len(set(asked)) == len(asked)


def test_words_of_probes_stand_in_their_questions() -> None:
    for probe in PROBES:
        assert probe.get("word", "").lower() in probe["question"].lower(), probe
