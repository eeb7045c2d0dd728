"""`Database` over drivers in memory: the behaviour shared by all engines."""

from dataclasses import dataclass, field

import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import ColumnInfo, Database, QueryError, ResultTable, Workspace

_TABLES = {"Beds": [ColumnInfo("id", "INTEGER", primary_key=1), ColumnInfo("ward", "TEXT")]}


@dataclass
class Reading:
    """A read-only driver that records the statements it runs."""

    name: str = "ward"
    url: str = "memory:ward"
    dialect: str = "sqlite"
    ran: list[tuple[str, int | None, float, int | None]] = field(default_factory=list)

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        self.ran.append((sql, rows, seconds, memory))
        return ResultTable(("id",), [(1,)], truncated=False)

    def tables(self) -> list[str]:
        return list(_TABLES)

    def columns(self, table: str) -> list[ColumnInfo]:
        return _TABLES[table]

    def fingerprint(self) -> str:
        return "0" * 32

    def close(self) -> None:
        self.name = "closed"


class Writing(Reading):
    """A driver that copies itself."""

    def copy(self) -> "Writing":
        return Writing()

    def reset(self) -> None:
        self.ran.clear()


class Sampling(Reading):
    """A driver that lists rows without a query."""

    def sample(self, table: str, rows: int) -> ResultTable:
        return ResultTable(("id",), [(table,)] * rows, truncated=False)


def test_tables_are_found_whatever_their_case() -> None:
    database = Database(Reading())
    assert database.columns("BEDS") == _TABLES["Beds"]
    assert database.definition("beds").startswith("CREATE TABLE Beds (\n    id INTEGER,")
    with pytest.raises(QueryError, match="There is no table 'wards'; there are: Beds"):
        database.columns("wards")


def test_statements_reach_the_driver_with_their_limits() -> None:
    driver = Reading()
    database = Database(driver)
    database.execute("SELECT 1")
    database.execute("SELECT 2", rows=None, seconds=5, memory=1000)
    database.sample("beds", 7)
    assert driver.ran == [
        ("SELECT 1", 100, 60.0, None),
        ("SELECT 2", None, 5, 1000),
        ('SELECT * FROM "Beds" LIMIT 7', 7, 60.0, None),
    ]


def test_driver_that_samples_is_sent_no_query() -> None:
    driver = Sampling()
    assert Database(driver).sample("beds", 2).rows == [("Beds",), ("Beds",)]
    assert not driver.ran


def test_only_a_driver_that_copies_gives_workspaces() -> None:
    with pytest.raises(UserError, match="use SQLite, DuckDB or PostgreSQL"):
        Database(Reading()).writable()
    workspace = Database(Writing()).writable()
    assert isinstance(workspace, Workspace)
    workspace.execute("SELECT 1")
    workspace.reset()
    with pytest.raises(UserError, match="is a workspace"):
        workspace.writable()
