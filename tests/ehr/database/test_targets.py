"""Targets of every engine: tables, loading and reading rows, transactions."""

from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import Target, open_database, write_database
from wardround.ehr.database.arrow import Counted, Stream
from wardround.ehr.schema import Column, Table, index_statements

STAYS = Table(
    name="stays",
    meaning="One row per stay.",
    columns=(
        Column("stay_id", "INTEGER", "the stay"),
        Column("unit", "TEXT", "where", null=True),
        Column("came", "TIMESTAMP", "when", null=True),
        Column("weight", "REAL", "how heavy", null=True),
    ),
    key=("stay_id",),
    indexes=(("unit",),),
)
ROWS = """
SELECT * FROM (VALUES
    (1::BIGINT, 'it''s "new"', TIMESTAMP '2100-01-02 03:04:05', 70.5::DOUBLE),
    (2, NULL, NULL, NULL))
"""


@pytest.fixture(params=["sqlite", "duckdb"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    with closing(write_database(str(tmp_path / f"built.{request.param}"))) as target:
        yield target


def rows_for(target: Target, lake: duckdb.DuckDBPyConnection, sql: str = ROWS) -> Counted:
    """Rows in the target's types: SQLite stores times as text."""
    time = "VARCHAR" if target.dialect == "sqlite" else "TIMESTAMP"
    names = ", ".join(column.name for column in STAYS.columns)
    sql = f"SELECT * REPLACE (came::{time} AS came) FROM ({sql}) AS stays ({names})"
    return Counted(Stream(lake.sql(sql)))


def test_rows_round_trip(target: Target) -> None:
    with duckdb.connect() as lake:
        target.create(STAYS)
        rows = rows_for(target, lake)
        assert target.load("stays", rows) == rows.rows == 2
        for statement in index_statements(STAYS):
            target.execute(statement)
        with target.read("SELECT * FROM stays ORDER BY stay_id") as stream:  # noqa: F841
            result = lake.execute("SELECT * REPLACE (came::TIMESTAMP AS came) FROM stream")
            assert result.fetchall() == [
                (1, 'it\'s "new"', datetime(2100, 1, 2, 3, 4, 5), 70.5),
                (2, None, None, None),
            ]
    assert target.tables() == ["stays"]


def test_a_transaction_is_all_or_nothing(target: Target) -> None:
    with duckdb.connect() as lake:
        with suppress(ZeroDivisionError), target.transaction():
            target.create(STAYS)
            target.load("stays", rows_for(target, lake))
            raise ZeroDivisionError
        assert target.tables() == []
        with target.transaction():
            target.create(STAYS)
            target.load("stays", rows_for(target, lake))
            with target.read("SELECT count(*) FROM stays") as seen:  # noqa: F841
                assert lake.execute("FROM seen").fetchall() == [(2,)]
    assert target.query("SELECT count(*) FROM stays") == [(2,)]


def test_rows_that_share_a_key_are_refused(target: Target) -> None:
    with duckdb.connect() as lake:
        target.create(STAYS)
        target.load("stays", rows_for(target, lake))
        with pytest.raises(Exception, match=r"(?i)constraint"):
            target.load("stays", rows_for(target, lake))
    assert target.query("SELECT count(*) FROM stays") == [(2,)]


def test_rows_are_counted_batch_by_batch(target: Target) -> None:
    sql = "SELECT i, NULL::VARCHAR, NULL::TIMESTAMP, i / 2 FROM range(300_000) AS r (i)"
    with duckdb.connect() as lake:
        target.create(STAYS)
        rows = rows_for(target, lake, sql)
        assert rows.rows == 0
        target.load("stays", rows)
        assert rows.rows == 300_000


def test_file_is_recognised_by_its_content(target: Target, tmp_path: Path) -> None:
    target.create(STAYS)
    target.close()
    renamed = Path(target.location).rename(tmp_path / "records")
    with closing(open_database(renamed)) as database:
        assert (database.dialect, database.tables()) == (target.dialect, ["stays"])


def test_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.duckdb").write_text("not a database")
    with pytest.raises(UserError):
        write_database(str(tmp_path / "notes.duckdb"))
    with pytest.raises(UserError, match="cannot be written"):
        write_database(str(tmp_path / "nowhere" / "built.sqlite"))


def test_closing_twice_is_fine(target: Target) -> None:
    target.close()
    target.close()
