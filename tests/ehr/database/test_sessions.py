"""Session state of a read-only statement reaches no other statement, on any engine."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.ehr.database.engines import ENGINES, made_database, needs
from wardround.ehr.database import Database, QueryError, open_database

# A statement, and a query whose result it would change.
LEAVING = {
    "postgres": [
        ("select set_config('statement_timeout', '1', false)", "show statement_timeout"),
        ("select set_config('search_path', 'pg_temp', false)", "select count(*) from patients"),
        ("select set_config('timezone', 'Asia/Tokyo', false)", "show timezone"),
        (
            "select set_config('transaction_read_only', 'off', false)",
            "show default_transaction_read_only",
        ),
        ("select pg_advisory_lock(1)", "select count(*) from pg_locks where locktype = 'advisory'"),
        ("prepare plan as select 1", "select count(*) from pg_prepared_statements"),
        ("declare c cursor with hold for select 1", "select count(*) from pg_cursors"),
        ("create temp table patients (id int)", "select count(*) from patients"),
        ("listen ward", "select count(*) from pg_listening_channels()"),
        ("begin", "select 1"),
    ],
    "sqlite": [
        ("create temp table patients (id int)", "select count(*) from patients"),
        ("pragma case_sensitive_like = on", "select 'A' like 'a'"),
        ("begin", "select 1"),
        ("savepoint a", "select 1"),
        ("attach ':memory:' as loot", "select count(*) from patients"),
    ],
    "duckdb": [
        ("create temp table patients (id int)", "select count(*) from patients"),
        ("select setseed(0.5)", "select 1"),
        ("set variable known = 1", "select getvariable('known')"),
        ("begin", "select 1"),
    ],
}
_SEEDED = {"duckdb": "select setseed(0.5)", "postgres": "select setseed(0.5)"}


@pytest.fixture(params=[pytest.param(each, marks=needs(each)) for each in ENGINES])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Database]]:
    statements = ["create table patients (id int)", "insert into patients values (1), (2)"]
    with made_database(request.param, tmp_path, statements) as location:
        database = open_database(location)
        yield request.param, database
        database.close()


def test_statement_leaves_nothing_in_its_session(opened: tuple[str, Database]) -> None:
    engine, database = opened
    for statement, question in LEAVING[engine]:
        before = database.execute(question).rows
        _try(database, statement)
        assert database.execute(question).rows == before, statement


def test_seed_does_not_outlive_its_statement(opened: tuple[str, Database]) -> None:
    engine, database = opened
    draws = set()
    for _ in range(3):
        _try(database, _SEEDED.get(engine, "select 1"))
        draws.add(database.execute("select random()").rows[0])
    assert len(draws) == 3


@needs("postgres")
def test_seed_does_not_outlive_a_workspace(tmp_path: Path) -> None:
    draws = set()
    with made_database("postgres", tmp_path, ["create table patients (id int)"]) as location:
        database = open_database(location)
        for _ in range(3):
            workspace = database.writable()
            draws.add(workspace.execute("select random()").rows[0])
            workspace.execute("select setseed(0.5)")
            workspace.close()
        database.close()
    assert len(draws) == 3


def _try(database: Database, statement: str) -> None:
    """Run a statement, which may be refused."""
    with suppress(QueryError):
        database.execute(statement)
