"""People who may see different patients are served at once, each from a database of their own."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.apps.command_line.serve import chosen_serving
from wardround.assistant.opening import opened_assistant
from wardround.assistant.users import LOCAL, User, token_digest
from wardround.core.actions import Call
from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import FhirServer

COUNT = "SELECT count(*), count(gender), min(subject_id), max(subject_id) FROM patients"


def user(name: str, patients: tuple[str, ...] | None, *masked: str) -> User:
    return User(token_sha256=token_digest(name), patients=patients, masked=masked)


async def test_each_person_sees_their_own_patients(tmp_path: Path) -> None:
    database = hospital_file("mimic_iv_star", 30, ending="sqlite")
    with closing(sqlite3.connect(database)) as connection:
        first, second, *_ = (
            str(row[0])
            for row in connection.execute("SELECT DISTINCT patientid FROM patients ORDER BY 1")
        )
    users = {
        "ann": user("ann", (first,)),
        "bob": user("bob", (second, first), "patients.gender"),
        "eve": user("eve", None),
    }
    serving = chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None}, {"agent": "react"}
    )
    async with opened_assistant(serving, tmp_path / "served", users) as opened:
        seen = {}
        for person in (*users, "ann", LOCAL):
            sql = COUNT.replace("subject_id", "patientid")
            shown = await opened.tools.run_query(person, sql)
            assert not isinstance(shown, str), shown
            seen[person] = [str(cell) for cell in shown.rows[0]]
        with pytest.raises(UserError, match="--fhir reads all patients"):
            fhir = FhirServer.__new__(FhirServer)
            async with opened_assistant(serving, tmp_path / "two", users, fhir=fhir):
                pass
        searched = await opened.tools.call("ann", Call("value_substring_search", {}))
    assert seen["ann"] == ["1", "1", first, first]
    assert seen["bob"] == ["2", "0", first, second]
    assert seen["eve"] == seen[LOCAL]
    assert int(seen["eve"][0]) >= 30
    assert str(database) not in searched
