"""Statements that try to write, leave the database or use it up, a line each in attacks.txt."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.ehr.database import Database, QueryError, open_database

_TABLES = """
create table patients (id integer primary key, name text);
insert into patients values (1, 'ann'), (2, 'bob');
create table events (id integer primary key, patient integer references patients(id), label text);
insert into events
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    select i, 1 + i % 2, 'event number ' || i from n;
create index by_label on events (label);
create view named as select name from patients;
create view trap as select load_extension('evil') from patients;
"""


def _expand(statement: str, folder: Path) -> str:
    for word, text in (
        ("FOLDER", str(folder)),
        ("COLUMNS", ", ".join(["1"] * 600)),
        ("CALLS", " + ".join(["abs(1)"] * 150) + ", " + " + ".join(["abs(1)"] * 150)),
        ("ARGUMENTS", ", ".join(["1"] * 120)),
        ("DEEP", "(" * 500 + "1" + ")" * 500 + " + 1" * 500),
        ("COMPOUNDS", " union all ".join(["select 1"] * 60)),
        ("TABLES", ", ".join(f"patients p{number}" for number in range(70))),
        ("LONG", "x" * 60_000),
    ):
        statement = statement.replace(word, text)
    return statement


def _attacks() -> Iterator[tuple[str, str, str]]:
    for line in (Path(__file__).parent / "attacks.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, statement, kind = line.split(" | ")
            yield name, statement, kind


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "small.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(_TABLES)
    connection.close()
    opened = open_database(path)
    yield opened
    opened.close()


def _kind(database: Database, statement: str, seconds: float) -> str:
    try:
        database.execute(statement, seconds=seconds)
    except QueryError as error:
        return error.kind
    return "ok"


def _content(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("statement", "kind"), [pytest.param(sql, kind, id=name) for name, sql, kind in _attacks()]
)
def test_attack_is_refused_and_leaves_no_trace(
    database: Database, tmp_path: Path, statement: str, kind: str
) -> None:
    before = _content(tmp_path)
    seconds = 0.5 if kind == "timeout" else 20
    assert _kind(database, _expand(statement, tmp_path), seconds) == kind
    assert _content(tmp_path) == before
    assert database.execute("select name from patients order by id").rows == [("ann",), ("bob",)]
