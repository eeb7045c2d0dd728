"""People who may see different patients are served at once, each from a database of their own."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.apps.command_line.serve import chosen_serving
from wardround.assistant.open_assistant import opened_assistant
from wardround.assistant.users import LOCAL, User, token_digest

COUNT = "SELECT count(*), count(dateofdeath), min(patientid), max(patientid) FROM demographics"


def user(name: str, patients: tuple[str, ...] | None, *masked: str) -> User:
    return User(token_sha256=token_digest(name), patients=patients, masked=masked)


async def test_each_person_sees_their_own_patients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    database = hospital_file("mimic_iv_star", 30, ending="sqlite")
    with closing(sqlite3.connect(database)) as connection:
        first, second, *_ = (
            str(row[0])
            for row in connection.execute("SELECT DISTINCT patientid FROM demographics ORDER BY 1")
        )
    users = {
        "ann": user("ann", (first,)),
        "bob": user("bob", (second, first), "demographics.dateofdeath"),
        "eve": user("eve", None),
    }
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None},
        {"agent": "react", "model": "openai:gpt-5"},
    )
    async with opened_assistant(serving, tmp_path / "served", users) as opened:
        seen = {}
        for person in (*users, "ann", LOCAL):
            shown = await opened.tools.run_query(person, COUNT)
            assert not isinstance(shown, str), shown
            seen[person] = [str(cell) for cell in shown.rows[0]]
    assert seen["ann"][2:] == [first, first]
    assert seen["bob"][1:] == ["0", first, second]
    assert seen["eve"] == seen[LOCAL]
    assert int(seen["eve"][0]) > int(seen["bob"][0]) > int(seen["ann"][0])
