"""Statements of every kind on a trial's database, by the cases of `statements.toml`."""

import sqlite3
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.database.postgres.statements import (
    Start,
    read_submission,
    run_statements,
)

_CASES = tomllib.loads((Path(__file__).parent / "statements.toml").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_statements_give_the_results_of_the_file_and_are_undone(
    case: dict[str, Any], start: Start, ward_database: Database
) -> None:
    statements = read_submission(case["sql"])
    result = run_statements(start.workspace, statements, 20)
    if "error" in case:
        assert case["error"] in str(result.error)
        assert case.get("state", result.state) == result.state
        assert result.rows == []
        assert len(result.done) < len(statements)
    else:
        assert result.error is None, result.error
        assert result.rows == [tuple(row) for row in case["rows"]]
        assert result.done == statements
    start.restore()
    assert start.workspace.fingerprint() == ward_database.fingerprint()


def test_state_includes_earlier_statements(start: Start) -> None:
    led = replace(
        start, before=("UPDATE wards SET beds = 9; CREATE TABLE t (a int);", "DROP TABLE t")
    )
    for _ in range(2):
        led.restore()
        result = run_statements(led.workspace, ["SELECT DISTINCT beds FROM wards"], 20)
        assert result.rows == [(9,)]
    with pytest.raises(QueryError, match="nothing"):
        replace(start, before=("DELETE FROM nothing",)).restore()


def test_open_transaction_does_not_undo_later_statements(start: Start) -> None:
    led = replace(start, before=("BEGIN; UPDATE wards SET beds = 9", "DELETE FROM stays"))
    led.restore()
    assert run_statements(led.workspace, ["SELECT 1 / 0"], 20).error
    result = run_statements(led.workspace, ["ROLLBACK", "SELECT DISTINCT beds FROM wards"], 20)
    assert result.rows == [(9,)]


def test_statements_share_a_deadline(start: Start) -> None:
    result = run_statements(start.workspace, ["SELECT pg_sleep(0.25)"] * 20, 0.4)
    assert result.error is not None
    assert result.error.kind == "timeout"
    assert 2 <= len(result.done) < 10


def test_refused_rewriting_falls_back_to_the_original(start: Start) -> None:
    result = run_statements(start.workspace, ["SELECT 2"], 20, lambda sql: sql + " FROM nothing")
    assert result.rows == [(2,)]
    failed = run_statements(start.workspace, ["SELECT no"], 20, lambda sql: sql + " FROM nothing")
    assert "no" in str(failed.error)
    assert "nothing" not in str(failed.error)


def test_only_postgresql_can_be_graded_on(tmp_path: Path) -> None:
    path = tmp_path / "ward.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
    with (
        closing(open_database(path)) as database,
        closing(database.writable()) as workspace,
        pytest.raises(UserError, match="not a PostgreSQL"),
    ):
        run_statements(workspace, ["SELECT 1"], 20)
