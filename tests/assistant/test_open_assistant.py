"""People who may see different patients are served at once, each from a database of their own."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.assistant.worker_here import start_here
from tests.ehr.database.engines import made_database, needs
from tests.ehr.database.postgres.own_server import home, kill_server
from tests.ehr.ingest.test_patient_removal import hospital
from tests.ehr.making import make_database
from wardround.apps.command_line.serve import chosen_serving
from wardround.assistant import open_assistant, parts
from wardround.assistant.open_assistant import opened_assistant
from wardround.assistant.served_agent import Serving
from wardround.assistant.users import LOCAL, RefusedError, User, token_digest
from wardround.assistant.worker_handle import WorkerHandle
from wardround.ehr.database import open_database, write_database
from wardround.ehr.database.engine import PrivateCopy
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy

__all__ = ["home"]

COUNT = "SELECT count(*), count(dateofdeath), min(patientid), max(patientid) FROM demographics"


PROCESS = vars(WorkerHandle)["start"]


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are done in this process; those of others have tests of their own."""
    monkeypatch.setattr(WorkerHandle, "start", start_here)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hospital of nine people that may be changed, and a model that nobody asks."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    path = tmp_path / "hospital.sqlite"
    make_database(str(path), "mimic_iv_star", hospital("mimic_iv_star"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE demographics SET dateofdeath = '2105-01-01 00:00:00'")
    return path


def serving_of(database: Path | str) -> Serving:
    return chosen_serving(
        {"assessment": None, "unassessed": str(database), "policy": None},
        {"agent": "react", "model": "openai:gpt-5"},
    )


def patients(database: Path) -> list[str]:
    sql = "SELECT DISTINCT patientid FROM demographics ORDER BY 1"
    with closing(sqlite3.connect(database)) as connection:
        return [str(row[0]) for row in connection.execute(sql)]


def user(name: str, patients: tuple[str, ...] | None, *masked: str) -> User:
    digest = token_digest(name)
    return User(token_sha256=digest, questions_per_minute=10_000, patients=patients, masked=masked)


async def test_each_person_sees_their_own_patients(tmp_path: Path, database: Path) -> None:
    first, second, *_ = patients(database)
    users = {
        "ann": user("ann", (first,)),
        "bob": user("bob", (second, first), "demographics.dateofdeath"),
        "eve": user("eve", None),
    }
    async with opened_assistant(serving_of(database), tmp_path / "served", users) as opened:
        seen = {}
        for person in (*users, "ann", LOCAL):
            shown = await opened.tools.run_query(person, COUNT)
            assert not isinstance(shown, str), shown
            seen[person] = [str(cell) for cell in shown.rows[0]]
    assert seen["ann"][2:] == [first, first]
    assert seen["bob"][1:] == ["0", first, second]
    assert seen["eve"] == seen[LOCAL]
    assert int(seen["eve"][0]) > int(seen["bob"][0]) > int(seen["ann"][0])


async def test_a_statement_has_less_time_than_in_a_trial(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c"
    serving = serving_of(database)
    assert serving.settings.limits.statement_seconds > open_assistant.STATEMENT_SECONDS == 10
    monkeypatch.setattr(open_assistant, "STATEMENT_SECONDS", 0.5)
    async with opened_assistant(serving, tmp_path / "served", {}) as opened:
        said = await opened.tools.run_query(LOCAL, endless)
    assert isinstance(said, str)
    assert "0.5 s" in said


async def test_a_renewed_copy_has_new_rows_and_others_are_answered_meanwhile(
    tmp_path: Path, database: Path
) -> None:
    first, second, third, *_ = patients(database)
    users = {
        "ann": user("ann", (first, second)),
        "bob": user("bob", (third,)),
        "eve": user("eve", None),
    }

    async def count(person: str) -> str:
        shown = await opened.tools.run_query(person, "SELECT count(*) FROM labresults")
        assert not isinstance(shown, str), shown
        return str(shown.rows[0][0])

    async with opened_assistant(serving_of(database), tmp_path / "served", users) as opened:
        before = {person: await count(person) for person in users}
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.execute("DELETE FROM labresults WHERE patientid = ?", (first,))
            for table in ("labresults", "demographics"):
                connection.execute(f"DELETE FROM {table} WHERE patientid = ?", (third,))
        renewing = asyncio.ensure_future(opened.renew())
        answered = 0
        while not renewing.done():
            assert await count("ann") == before["ann"] or renewing.done()
            assert await count("eve")
            answered += 1
        await renewing
        assert answered > 0
        assert 0 < int(await count("ann")) < int(before["ann"])
        # Patient three is in other tables still, and their copy has none of the rows.
        assert await count("bob") == "0"


async def test_whose_part_cannot_be_copied_is_refused_until_it_can(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = patients(database)
    users = {"ann": user("ann", (first,)), "eve": user("eve", None)}
    async with opened_assistant(serving_of(database), tmp_path / "served", users) as opened:
        with monkeypatch.context() as broken:
            broken.setattr(parts, "scoped_copy", _no_space)
            await opened.renew()
            with pytest.raises(RefusedError, match="ask again in a minute"):
                await opened.tools.run_query("ann", COUNT)
            with pytest.raises(RefusedError, match="ask again in a minute"):
                await opened.assistant.ask("ann", "How many patients are there?")
            assert not isinstance(await opened.tools.run_query("eve", COUNT), str)
        assert not isinstance(await opened.tools.run_query("ann", COUNT), str)


async def test_a_copy_that_was_lost_is_made_again_at_the_next_call(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = patients(database)
    made: list[PrivateCopy] = []

    @contextmanager
    def noted(location: str, folder: Path, scope: Scope) -> Iterator[PrivateCopy]:
        with scoped_copy(location, folder, scope) as copy:
            made.append(copy)
            yield copy

    monkeypatch.setattr(parts, "scoped_copy", noted)
    users = {"ann": user("ann", (first,))}
    async with opened_assistant(serving_of(database), tmp_path / "served", users) as opened:
        before = await opened.tools.run_query("ann", COUNT)
        made[0].close()
        await opened.tools.reopen()
        assert await opened.tools.run_query("ann", COUNT) == before
        assert len(made) == 2


def _no_space(location: str, folder: Path, scope: Scope) -> str:
    raise OSError(28, "No space left on device")


@needs("postgres")
async def test_people_of_a_server_see_their_own_patients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    # Passwords of copies that are made later have to reach a process too.
    monkeypatch.setattr(WorkerHandle, "start", PROCESS)
    users = {"ann": user("ann", ("3", "4")), "eve": user("eve", None)}
    sql = "SELECT count(*), count(value), max(subject_id) FROM labevents"
    with made_database("postgres", tmp_path, []) as location:
        make_database(location, "mimic_iv", hospital("mimic_iv"))
        async with opened_assistant(serving_of(location), tmp_path / "served", users) as opened:
            before = [await opened.tools.run_query(person, sql) for person in users]
            with closing(write_database(location)) as whole:
                whole.execute("DELETE FROM labevents WHERE subject_id = 4")
            await opened.renew()
            after = await opened.tools.run_query("ann", sql)
    assert [rows.rows[0] for rows in before if not isinstance(rows, str)] == [(2, 0, 4), (9, 1, 9)]
    assert not isinstance(after, str)
    assert list(after.rows) == [(1, 0, 3)]


@needs("postgres")
async def test_people_are_answered_after_a_restart_of_the_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    location = "postgresql:hospital"
    make_database(location, "mimic_iv", hospital("mimic_iv"))
    users = {"ann": user("ann", ("3", "4"))}
    sql = "SELECT count(*), max(subject_id) FROM labevents"
    async with opened_assistant(serving_of(location), home / "served", users) as opened:
        before = await opened.tools.run_query("ann", sql)
        kill_server(home)
        open_database(location).close()  # drops the copy, which nobody holds
        refused = await opened.tools.run_query("ann", sql)
        after = await opened.tools.run_query("ann", sql)
    assert not isinstance(before, str)
    assert refused == "The record could not be read; try again."
    assert after == before
